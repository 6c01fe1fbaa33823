// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace kaname::inversion {

/// Weights w [epochs] so that the motion at t of slip that happens at a steady pace between begin
/// and end, 1 m in all, is sum_k w_k G(epoch_k):
///   u(t) = 1/(end - begin) int_begin^min(t, end) G(t - t') dt',   a step where end = begin,
/// exact for Green's functions G that are linear between epochs (ascending, the first one 0: right
/// after the slip). None before begin. Throws OutOfRange naming the age of slip that lies beyond
/// the last epoch.
[[nodiscard]] std::vector<double> response_weights(std::span<const double> epochs_s, double begin_s,
                                                   double end_s, double t_s);

}  // namespace kaname::inversion
