// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/suites.hpp"

namespace kaname::bench {

/// What friction costs: a cube of which 5 % of the faces rupture, over the same cube without.
void measure_rupture(int cubes, int order, bool single, device::Queue& queue, Report& report);

}  // namespace kaname::bench
