// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/suites.hpp"

namespace kaname::bench {

/// Measures the cost of plasticity relative to the same cube without it. The cases are waves far
/// from the strength, an initial state that has to be looked at, and a tenth or all of the elements
/// yielding.
void measure_yield(int cubes, int order, bool single, device::Queue& queue, Report& report);

}  // namespace kaname::bench
