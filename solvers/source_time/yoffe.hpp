// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::source_time {

/// Regularised Yoffe function of unit area [1/s], x seconds after its onset: with the Yoffe
/// function
///   Y(x) = 2 / (pi tau_r) sqrt((tau_r - x) / x)
/// convolved with a triangle of unit area and duration 2 tau_s, which is the second difference
///   (Y2(x) - 2 Y2(x - tau_s) + Y2(x - 2 tau_s)) / tau_s^2,   Y2 = int int Y
/// (the same as the cases of Tinti et al. 2005, appendix).
[[nodiscard]] double yoffe_rate(double tau_r_s, double tau_s_s, double x_s);

/// Its largest value [1/s].
[[nodiscard]] double yoffe_peak(double tau_r_s, double tau_s_s);

}  // namespace kaname::source_time
