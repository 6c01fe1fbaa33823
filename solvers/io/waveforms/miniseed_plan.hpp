// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {

inline constexpr int kMiniSeedRecord = 512;  ///< bytes

/// How a trace is cut into records and what its times and rate are called; only in builds with
/// libmseed.
struct MiniSeedPlan {
    std::int64_t start_us = 0;  ///< after 1970
    double rate_hz = 0.0;
    std::int16_t factor = 0;  ///< of the fixed header, with the multiplier
    std::int16_t multiplier = 0;
    bool float_rate = false;      ///< the rate proper is blockette 100's, those two come close
    std::int64_t per_record = 0;  ///< samples, but for the last record
};

/// Throws InvalidArgument where start, record starts or the last sample by the rate would be off by
/// more than kTimeTolerance of dt_s, or the rate above 32767^2 Hz or below one over that.
[[nodiscard]] MiniSeedPlan plan_miniseed(const Trace& trace);

}  // namespace kaname::io
