// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/store/operations_store.hpp"
#include "server/store/types.hpp"

namespace kaname::store {

class Connection;

/// Returns the environment in which PostgreSQL's own programs reach a database: a connection string
/// may hold a password, which others would see on a command line. Throws InvalidArgument.
[[nodiscard]] std::map<std::string, std::optional<std::string>> environment_of(
    const std::string& conninfo);

/// Returns the name of the connection's database.
[[nodiscard]] std::string database_name(const std::string& conninfo);

/// The database's side of one backup. While it lives no server of the database removes files of
/// artifacts; one at a time. Methods throw Unavailable when the database is lost.
class BackupSession {
public:
    /// Throws Conflict when another backup is being made.
    explicit BackupSession(const std::string& conninfo);
    ~BackupSession();
    BackupSession(const BackupSession&) = delete;
    BackupSession& operator=(const BackupSession&) = delete;

    /// In the list of backups from now on.
    void begin(const Backup& backup);
    void end(const Backup& backup);

    /// A view of the database that stays as it is until end_snapshot, for pg_dump --snapshot too.
    [[nodiscard]] std::string begin_snapshot();
    void end_snapshot();
    /// Hashes of all files that the database refers to, in their order.
    [[nodiscard]] std::vector<std::string> files_in_use();
    [[nodiscard]] std::vector<std::string> migrations();
    /// Nothing: no server has used it yet.
    [[nodiscard]] std::optional<ArtifactStoreId> artifact_store();

private:
    std::unique_ptr<Connection> db_;
};

/// Returns true if a database has no tables. Throws Unavailable.
[[nodiscard]] bool is_empty_database(const std::string& conninfo);
/// Removes the checkpoints from a restored database, whose backup keeps none of their files: tasks
/// begin at their first steps.
void settle_restored(const std::string& conninfo);

}  // namespace kaname::store
