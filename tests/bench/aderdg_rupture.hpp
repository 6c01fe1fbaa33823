// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/suites.hpp"

namespace kaname::bench {

/// Measures the cost of friction: the time of a cube with 5 % of its faces rupturing over that of
/// the same cube without rupture.
void measure_rupture(int cubes, int order, bool single, device::Queue& queue, Report& report);

}  // namespace kaname::bench
