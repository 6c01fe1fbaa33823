// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace kaname::run {

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

/// While it lives, this thread opens, makes and reads files (and /proc entries) as the user would:
/// what root writes into another user's folder must not follow that user's links to elsewhere. Does
/// nothing for a thread that has no right to change users, or for its own user.
class FileAccessAs {
public:
    explicit FileAccessAs(const User& user);
    ~FileAccessAs();
    FileAccessAs(const FileAccessAs&) = delete;
    FileAccessAs& operator=(const FileAccessAs&) = delete;

private:
    uid_t uid_before_;
    gid_t gid_before_;
};

}  // namespace kaname::run
