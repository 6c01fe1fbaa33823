// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/cli/commands.hpp"

namespace kaname::cli {

/// Adds the command that opens the server's page; as those of commands.hpp.
void add_page(Command& app, Context& context);

}  // namespace kaname::cli
