// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "server/embedded/binaries.hpp"
#include "worker/run/user.hpp"

namespace kaname::embedded {

/// Role and database of the cluster; the role owns everything.
inline constexpr const char* kRole = "kaname";
inline constexpr const char* kDatabase = "postgres";

/// Changes that leave PostgreSQL's programs a clean environment: no PG* variable, no locale.
[[nodiscard]] std::map<std::string, std::optional<std::string>> clean_environment();

/// Makes the cluster's data folder when there is none; a crash leaves no half-made one, since it
/// gets its name last. Throws Unavailable with initdb's words, Conflict when `data` is something
/// else.
void make_data_folder(const std::filesystem::path& data, const Binaries& binaries,
                      const run::User& user);

/// Writes the settings and who may connect: over the socket only, as users root, `user` and the
/// server's own.
void write_settings(const std::filesystem::path& data, const std::filesystem::path& socket_folder,
                    const run::User& user);

}  // namespace kaname::embedded
