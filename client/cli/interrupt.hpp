// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace kaname::cli {

/// Thrown where a command stops because the user asked it to.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

/// From now on SIGINT, SIGTERM and SIGHUP only set a flag, so that children are stopped in order.
void catch_interrupts();
/// Sets it as a signal does: nobody can read any more what the command would print.
void interrupt();
[[nodiscard]] bool interrupted();
/// Throws Interrupted when the flag is set.
void throw_if_interrupted();

}  // namespace kaname::cli
