// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/suites.hpp"

namespace kaname::bench {

/// Measures the cost of plasticity relative to the same cube without it: where waves are far from
/// the strength, where the initial state has to be looked at, and where a tenth or all of the
/// elements yield.
void measure_yield(int cubes, int order, bool single, device::Queue& queue, Report& report);

}  // namespace kaname::bench
