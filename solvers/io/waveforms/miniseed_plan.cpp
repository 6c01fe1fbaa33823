// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_MSEED
#include "solvers/io/waveforms/miniseed_plan.hpp"

#include <cmath>
#include <limits>

#include <libmseed.h>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/io/waveforms/trace.hpp"

namespace kaname::io {
namespace {

constexpr double kMostInt16 = 32767.0;

[[noreturn]] void refuse_miniseed(const Trace& trace, const std::string& rule, double got) {
    throw Error(ErrorCode::InvalidArgument, "miniSEED, trace " + name_of(trace) + ": " + rule +
                                                ", got " + formatted("%.17g", got));
}

void plan_start(MiniSeedPlan& plan, const Trace& trace) {
    plan.start_us = std::llround(trace.start_s * 1e6);
    // A double in 2023 is itself no more exact than a quarter of a microsecond.
    const double size_s = std::abs(trace.start_s);
    const double spacing_s =
        std::nextafter(size_s, std::numeric_limits<double>::infinity()) - size_s;
    const double off_s = std::abs(trace.start_s - static_cast<double>(plan.start_us) / 1e6);
    if (off_s > kTimeTolerance * trace.dt_s + spacing_s) {
        refuse_miniseed(trace,
                        "start_s must be whole microseconds to within a twentieth of dt_s = " +
                            number(trace.dt_s),
                        trace.start_s);
    }
}

void plan_rate(MiniSeedPlan& plan, const Trace& trace) {
    plan.rate_hz = 1.0 / trace.dt_s;
    // Above 1 Hz factor x multiplier, below 1 / (factor x multiplier) with both negative.
    const double sign = plan.rate_hz >= 1.0 ? 1.0 : -1.0;
    const double product = sign > 0.0 ? plan.rate_hz : trace.dt_s;
    if (product > kMostInt16 * kMostInt16) {
        refuse_miniseed(trace, "dt_s must lie between 1/32767^2 s and 32767^2 s", trace.dt_s);
    }
    if (ms_genfactmult(plan.rate_hz, &plan.factor, &plan.multiplier) != 0) {
        const double multiplier = std::ceil(product / kMostInt16);
        plan.factor = static_cast<std::int16_t>(sign * std::round(product / multiplier));
        plan.multiplier = static_cast<std::int16_t>(sign * multiplier);
    } else if (keeps_time(trace, 1.0 / ms_nomsamprate(plan.factor, plan.multiplier))) {
        return;
    }
    plan.float_rate = true;
    if (!keeps_time(trace, 1.0 / static_cast<float>(plan.rate_hz))) {
        refuse_miniseed(
            trace,
            "1/dt_s must be a rate that two 16-bit integers or a float give, so that the last "
            "of " +
                std::to_string(trace.values.size()) +
                " samples moves by at most a twentieth of dt_s",
            trace.dt_s);
    }
}

void plan_records(MiniSeedPlan& plan, const Trace& trace) {
    // Fixed header 48 bytes, blockettes 1000 and 1001 of 8 each, 100 of 12.
    const std::int64_t most = (kMiniSeedRecord - 64 - (plan.float_rate ? 12 : 0)) / 4;
    const auto count = static_cast<std::int64_t>(trace.values.size());
    const double dt_us = trace.dt_s * 1e6;
    const bool rounding_is_fine = 0.5 <= kTimeTolerance * dt_us;
    for (std::int64_t n = most; n > 0; --n) {
        const double length_us = static_cast<double>(n) * dt_us;
        const double off_us = std::abs(length_us - std::round(length_us));
        const auto before_last = static_cast<double>((count - 1) / n);
        if (rounding_is_fine || before_last * off_us <= kTimeTolerance * dt_us) {
            plan.per_record = n;
            return;
        }
    }
    refuse_miniseed(trace,
                    "dt_s below 1e-05 must make some number of samples, at most " +
                        std::to_string(most) + ", last whole microseconds",
                    trace.dt_s);
}

}  // namespace

MiniSeedPlan plan_miniseed(const Trace& trace) {
    MiniSeedPlan plan;
    plan_start(plan, trace);
    plan_rate(plan, trace);
    plan_records(plan, trace);
    return plan;
}

}  // namespace kaname::io

#endif
