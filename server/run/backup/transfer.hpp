// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/run/backup/backup.hpp"

namespace kaname::backup {

/// A store for a backup's files: as large as they come, down to the last byte of the disk.
[[nodiscard]] artifacts::FilesystemStore open_files(const std::filesystem::path& folder);

/// Copies one file, checked against its hash. False: its bytes are other ones, and nothing is kept.
/// Throws what the stores throw, but DataLoss.
[[nodiscard]] bool copy_file(const artifacts::FilesystemStore& from, artifacts::FilesystemStore& to,
                             const std::string& sha256);
/// A second name for the file. Throws InvalidArgument where the folders are on two file systems.
void link_file(const artifacts::FilesystemStore& from, const artifacts::FilesystemStore& to,
               const std::string& sha256);

/// Tells how far a number of files is, once a second.
class Progress {
public:
    Progress(const Say& say, std::string what, std::int64_t files, std::int64_t bytes)
        : say_(say), what_(std::move(what)), files_(files), bytes_(bytes) {}

    void done(std::int64_t bytes);
    void end();

private:
    void tell() const;

    const Say& say_;
    std::string what_;
    std::int64_t files_, bytes_, n_ = 0, sum_ = 0;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// "1.2 GB"
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// One of PostgreSQL's programs, for a database that it finds by its environment (environment_of).
struct PgProgram {
    std::filesystem::path program;  ///< path, or a name that is looked up
    std::string conninfo;

    /// Throws NotFound without the program, Unavailable with its words when it fails.
    void run(const std::vector<std::string>& arguments) const;
    /// Returns the program's version as it prints it, "pg_dump (PostgreSQL) 15.4".
    [[nodiscard]] std::string version() const;
};

}  // namespace kaname::backup
