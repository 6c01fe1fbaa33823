// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

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

/// Writes traces one after the other as miniSEED 2: records of 512 bytes, samples as 32-bit IEEE
/// floats, all big endian, microseconds in blockette 1001. The rate stands in the fixed header as
/// two 16-bit integers, rate = factor x multiplier, a negative one divides (20 MHz: 4000 x 5000); a
/// rate that these do not make stands in blockette 100 as a float. Units, places and the event are
/// not part of the format. The file appears under its name when it is complete.
///
/// Times are right to within a twentieth of dt_s, or are refused: the start of a trace, of every
/// record (whole microseconds; records are as short as that takes, 100 samples at 20 MHz), and of
/// the last sample by the rate.
///
/// Throws InvalidArgument, naming field, value and rule: such times; no traces, or one without
/// samples; codes that are no capital letters and digits, or longer than network 2, station 5,
/// location 2, channel 3, or empty but for network and location. Throws Unavailable in a build
/// without libmseed, or when the file cannot be written.
void write_miniseed(const std::string& path, std::span<const Trace> traces);

}  // namespace kaname::io
