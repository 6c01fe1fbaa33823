// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/run/embedded/cluster.hpp"
#include "server/run/embedded/data_folder.hpp"
#include "server/run/program/options.hpp"

namespace kaname::program {

/// The database of a server, whether that runs or not: of --database, else what the last server of
/// the state folder had, else the private cluster, which is started for as long as this lives where
/// no server runs.
class OpenedDatabase {
public:
    /// Throws NotFound where the state folder has no cluster, unless it is to be made (`make`);
    /// Unavailable, Conflict.
    OpenedDatabase(const Options& options, const std::filesystem::path& state, bool make,
                   const std::function<void(const std::string&)>& log);
    ~OpenedDatabase();
    OpenedDatabase(const OpenedDatabase&) = delete;
    OpenedDatabase& operator=(const OpenedDatabase&) = delete;

    [[nodiscard]] const std::string& conninfo() const { return conninfo_; }
    /// pg_dump and the like: of the cluster's version, else the newest.
    [[nodiscard]] std::filesystem::path program(const std::string& name) const;

private:
    std::filesystem::path data_, binaries_;
    std::string conninfo_;
    std::optional<embedded::StateLock> lock_;
    std::unique_ptr<embedded::Cluster> cluster_;
};

struct MaintenanceOptions {
    std::filesystem::path folder = {};  ///< of the backup
    std::string artifacts = "copy";     ///< copy, link or manifest
    std::string version, host;
};

/// The actions of kaname-server backup, restore and migrate --check; lines for people go to
/// standard output. They return the exit code.
int backup(const Options& options, const MaintenanceOptions& how,
           const std::function<void(const std::string&)>& log);
int restore(const Options& options, const MaintenanceOptions& how,
            const std::function<void(const std::string&)>& log);
/// Reports the database's schema and what this version would do to it; nothing is changed.
int check_schema(const Options& options, const std::function<void(const std::string&)>& log);

/// One thing that was looked at; status: ok, warn, fail.
struct Finding {
    std::string name, status, detail, hint;
};

/// Checks whether a server with these options would find what it needs: folders, certificate,
/// database, Slurm's commands, and for each pool whether a job would be accepted. Starts, makes
/// and changes nothing.
[[nodiscard]] std::vector<Finding> check_options(const Options& options, const ServerPlace& place);

/// A line each, fields apart by tabs: what kaname doctor reads.
[[nodiscard]] std::string to_lines(const std::vector<Finding>& findings);

}  // namespace kaname::program
