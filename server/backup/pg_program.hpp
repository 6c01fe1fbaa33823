// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kaname::backup {

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
