// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "worker/run/user.hpp"

namespace kaname::embedded {

/// Longest path of a Unix socket in bytes: sun_path less its final zero.
inline constexpr std::size_t kLongestSocketPath = 107;
inline constexpr int kSocketPort = 5432;  ///< part of the socket's name; there is no TCP port

/// The folder of a cluster's socket, made with mode 0700 for `user`: <state>/postgres-socket, or
/// when that is too long a folder named by a hash of the state's path in `runtime` (empty: /run for
/// root, else XDG_RUNTIME_DIR, else /tmp), which <state>/postgres-socket.path then records. Throws
/// Conflict when somebody else has that folder.
[[nodiscard]] std::filesystem::path make_socket_folder(const std::filesystem::path& state,
                                                       const std::filesystem::path& runtime,
                                                       const run::User& user);

}  // namespace kaname::embedded
