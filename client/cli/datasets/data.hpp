// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/cli/common/commands.hpp"

namespace kaname::cli {

/// Adds `kaname data` to the help alone: its words are never read here, see run_data.
void add_data(Command& app, Context& context);

/// Tells whether the words are those of `kaname data`.
[[nodiscard]] bool is_data(int argc, char** argv);

/// Becomes `python3 -m kaname data ...` with the words behind `data`, whose answer, exit code and
/// errors are that program's. Returns the exit code where it cannot be started.
[[nodiscard]] int run_data(int argc, char** argv);

}  // namespace kaname::cli
