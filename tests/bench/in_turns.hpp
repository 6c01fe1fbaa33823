// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>

#include "solvers/aderdg/wave_solver.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

using Solvers = std::map<std::string, std::unique_ptr<aderdg::WaveSolver>>;

/// Macro steps of one call that is timed: on a GPU many, whose queue is waited for once.
[[nodiscard]] int steps_at_once(const device::Queue& queue);

/// Seconds of a macro step of each: the least of some calls, their spread and count. They take
/// turns, since the machine's speed changes meanwhile; on the CPU they are of this process alone,
/// since others may run beside it.
[[nodiscard]] std::map<std::string, Samples> step_in_turns(const Solvers& solvers,
                                                           const device::Queue& queue);

}  // namespace kaname::bench
