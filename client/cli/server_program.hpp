// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/commands.hpp"

namespace kaname::cli {

/// How long to wait between two looks at a kaname-server that works.
inline constexpr std::chrono::milliseconds kServerPoll{100};

/// kaname-server beside this program. Throws NotFound.
[[nodiscard]] std::filesystem::path server_program();

/// Has kaname-server do something on this machine. Its lines are printed as they come, with --json
/// none. Returns its exit code where that is one of `good`, with its lines; else throws with the
/// last of them.
struct ServerRun {
    int exit_code = 0;
    std::vector<std::string> lines;
};
[[nodiscard]] ServerRun run_server(const std::vector<std::string>& arguments,
                                   const std::vector<int>& good, const Context& context);

}  // namespace kaname::cli
