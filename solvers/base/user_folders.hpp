// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace kaname {

/// Where this user's programs keep what they can make again: $KANAME_CACHE, else
/// $XDG_CACHE_HOME/kaname, else ~/.cache/kaname; empty where none of these is known.
[[nodiscard]] std::filesystem::path cache_folder();

/// Makes a folder, and those above it that are missing, with mode 0700 whatever the umask; what is
/// there keeps its mode. Folders above one of root's get 0711: its database's user must come
/// through. Throws Unavailable with path and cause.
void make_private_folder(const std::filesystem::path& folder);

/// Checks that `path` is owned by this user or root, and that neither its group nor others may
/// write to it; a link itself counts, not what it leads to. Returns also where nothing is there.
/// Throws PermissionDenied with path, owner and mode.
/// @param owner who may own it besides.
void check_private(const std::filesystem::path& path, std::optional<uid_t> owner = {});

/// Checks as check_private a server's state folder, what is in it and one folder further down. The
/// files of the database and of the results are not looked at: PostgreSQL checks its own, and
/// results are known by their hashes.
void check_state_folder(const std::filesystem::path& state);

/// Value of an environment variable; empty where there is none.
[[nodiscard]] inline std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace kaname
