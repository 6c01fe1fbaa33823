// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/program/options.hpp"

namespace kaname::assembly {

/// Ends the server of a state folder and what a crashed one left running; says whether there was
/// anything. Returns the exit code.
int stop(const program::Options& options);

}  // namespace kaname::assembly
