// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/cli/common/commands.hpp"

namespace kaname::cli {

/// The hidden command that prints the manual page of all others, as troff.
void add_man(Command& app, Context& context);

}  // namespace kaname::cli
