// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/lattice.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

/// The lines of methods `parametric_spectrum` (a pack of four sources for a range of the mantle's
/// viscosity beside the same pack for one) and `answer` (what that model answers for 24 sources at
/// 140 stations, beside time steps). On the CPU.
void measure_answers(const Lattice& lattice, Report& report);

}  // namespace kaname::bench
