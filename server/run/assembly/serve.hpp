// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <csignal>

#include "server/run/assembly/listeners.hpp"
#include "server/run/program/options.hpp"

namespace kaname::assembly {

/// For agents, to end a pack's processes and give the tasks back.
inline constexpr std::chrono::seconds kAgentGrace{30};
/// Nothing in a shutdown takes so long; whatever hangs is ended, and the next start adopts the
/// rest.
inline constexpr unsigned kShutdownLimit_s = 150;

/// Signals that end the server; blocked in all threads, taken by the main one alone.
[[nodiscard]] sigset_t ending_signals();

/// Makes the objects, connects them, and runs until a signal, which ending_signals() must have
/// blocked in this thread before. Returns the exit code; throws what keeps a server from starting.
int serve(const program::Options& options, const Program& program);

}  // namespace kaname::assembly
