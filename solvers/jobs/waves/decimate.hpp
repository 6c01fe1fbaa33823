// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace kaname::jobs {

/// Every factor-th number of a series without what the longer interval cannot hold: a symmetric
/// filter that shifts nothing in time (sinc times a Kaiser window, 80 dB down from the new Nyquist
/// frequency on, flat to 0.8 of it). Before its beginning the series is taken to be at rest, behind
/// its end to go on as its mirror image about its last number. Throws InvalidArgument unless factor
/// >= 1.
[[nodiscard]] std::vector<float> decimate(std::span<const float> series, int factor);

}  // namespace kaname::jobs
