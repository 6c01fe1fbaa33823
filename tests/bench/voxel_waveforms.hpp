// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "tests/bench/options.hpp"
#include "tests/bench/report.hpp"

namespace kaname::bench {

/// ichimura2024's Table 2: rows `relative_error` of cases `waveforms-2mm` and so on, the error of
/// the waveforms at all receivers,
///   Err = mean over channels of sum_t (u - u_ref)^2 / sum_t u_ref^2      (eq. 18),
/// against OVFEM extrapolated from finer voxels than VFEM's; that of VFEM extrapolated tells how
/// good this is. And its Table 4's last line: `equal_accuracy_side`, the side of VFEM's voxels
/// whose error is that of OVFEM's of 2 mm by logarithms of both, and `equal_accuracy_ratio`, the
/// time VFEM takes with these over that of OVFEM. seconds_ratio: VFEM's time over OVFEM's for as
/// many voxels.
void measure_waveforms(Size size, const device::Queue& queue, double seconds_ratio, Row row,
                       Report& report);

}  // namespace kaname::bench
