// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

/// ichimura2024's Table 3: K u of random numbers by every method, beside 80-bit arithmetic with the
/// element's matrices. Rows `relative_error` (root mean square of all components), `component_n`
/// and `component_relative_error` (one of them, which is printed with all its digits as well).
void measure_products(const device::Queue& queue, Row row, Report& report);

}  // namespace kaname::bench
