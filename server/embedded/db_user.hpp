// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "worker/run/user.hpp"

namespace kaname::embedded {

/// The user that PostgreSQL runs as. PostgreSQL refuses root, so root needs another: `wanted`, else
/// the owner of `data` when that exists, else "postgres". Anybody else is that user himself. Throws
/// InvalidArgument for root, nobody, a user that is not to be had, or another than the owner of
/// `data`; NotFound for one that the system does not know.
[[nodiscard]] run::User choose_db_user(const std::string& wanted,
                                       const std::filesystem::path& data);

/// Throws InvalidArgument naming the first of the folders above `folder`, or itself, that the user
/// may not enter. All its parents must exist.
void require_reachable(const std::filesystem::path& folder, const run::User& user);

}  // namespace kaname::embedded
