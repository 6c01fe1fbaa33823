// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace kaname::process {

/// A user that a child is to run as.
struct User {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;  ///< all of them, gid included
};

/// Throws NotFound when the system has no such user.
[[nodiscard]] User find_user(const std::string& name);
/// Throws NotFound for a number without an entry.
[[nodiscard]] User find_user(uid_t uid);

/// Gives up all other rights for good; for a child between fork and exec (async-signal-safe).
/// False with errno when that is not allowed.
[[nodiscard]] bool become_user(const User& user);

}  // namespace kaname::process
