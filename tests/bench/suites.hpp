// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

// Each appends its rows to the report, whose machine is known, and tells its progress on standard
// error. The number of threads has been set.
void run_viscoelastic(Size size, Report& report);
void run_kernels(Size size, Report& report);

}  // namespace kaname::bench
