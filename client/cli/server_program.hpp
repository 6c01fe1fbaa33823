// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/commands.hpp"

namespace kaname::cli {

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
