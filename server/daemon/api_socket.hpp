// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace kaname::daemon {

/// Where the programs of this machine reach the server of a state folder: <state>/socket/kaname, in
/// a folder of this user alone (mode 0700) that is made here. A path over `longest` bytes becomes a
/// short one in `runtime` (empty: /run for root, else XDG_RUNTIME_DIR, else /tmp). Throws Conflict
/// when somebody else has that folder, Unavailable when it cannot be made.
[[nodiscard]] std::filesystem::path make_api_socket(const std::filesystem::path& state,
                                                    const std::filesystem::path& runtime = {},
                                                    std::size_t longest = 107);

}  // namespace kaname::daemon
