// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/store/postgres/pool.hpp"

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

}  // namespace kaname::store
