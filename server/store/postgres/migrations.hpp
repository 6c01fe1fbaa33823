// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "server/store/postgres/connection.hpp"

namespace kaname::store {

/// One numbered script of migrations/, built into the program.
struct Migration {
    std::string name;  ///< "001_queue"
    std::string sql;
};
[[nodiscard]] const std::vector<Migration>& built_in_migrations();

/// Applies what is missing, all in one transaction and under a lock, and returns the names; with
/// `check_only` nothing is changed and the names of what is missing are returned.
/// Throws Conflict when a script that was applied has changed since, or the database was made by a
/// newer version; Unavailable when it cannot be reached.
std::vector<std::string> migrate(Pool& pool, bool check_only,
                                 const std::vector<Migration>& migrations = built_in_migrations());

/// Sessions that a server opens at most, and those without which calls wait for each other.
constexpr int kMostSessions = 22, kLeastSessions = 10;

/// One need of a server that a database, its role or what lies between them does not meet.
struct UnmetNeed {
    bool fatal = true;    ///< else the server runs, and somebody misses something
    std::string message;  ///< "the role \"kn\" must ..., got ..."
    std::string remedy;   ///< what an administrator types
};

/// Looks at what a server needs of a database that is not its own, and changes nothing: sessions
/// that stay the same (no pooler in transaction mode), PostgreSQL 13 or newer, UTF8, changes
/// accepted, the right to make tables and to use those that are there, room for its sessions, and
/// the sight of others' transactions. Throws Unavailable when the database cannot be reached.
[[nodiscard]] std::vector<UnmetNeed> unmet_needs(const std::string& conninfo);

/// Throws NotReady with the first fatal need and its remedy. Returns what is left, a line each.
std::vector<std::string> check_needs(const std::string& conninfo);

}  // namespace kaname::store
