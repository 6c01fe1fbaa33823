// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/trace.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::io {
namespace {

constexpr double kYear1900_s = -2208988800.0;
constexpr double kYear2101_s = 4133980800.0;

[[noreturn]] void refuse_trace(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

}  // namespace

std::string name_of(const Trace& trace) {
    return trace.network + "." + trace.station + "." + trace.location + "." + trace.channel;
}

void check_times(const Trace& trace) {
    if (trace.values.empty()) {
        refuse_trace("trace " + name_of(trace) + ": values must hold a sample, got none");
    }
    if (!(trace.dt_s > 0.0) || !std::isfinite(trace.dt_s)) {
        refuse_trace("trace " + name_of(trace) + ": dt_s must be finite and > 0, got " +
                     number(trace.dt_s));
    }
    const double last_s = trace.start_s + trace.dt_s * static_cast<double>(trace.values.size());
    if (!(trace.start_s >= kYear1900_s) || !(last_s < kYear2101_s)) {
        refuse_trace("trace " + name_of(trace) +
                     ": start_s must keep all samples in the years 1900 to " + "2100, got " +
                     number(trace.start_s));
    }
}

bool keeps_time(const Trace& trace, double written_s) {
    const double last = static_cast<double>(trace.values.size() - 1);
    return written_s > 0.0 &&
           last * std::abs(written_s - trace.dt_s) <= kTimeTolerance * trace.dt_s;
}

void check_text(const std::string& field, const std::string& value, std::size_t most) {
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (value.size() > most || !std::all_of(value.begin(), value.end(), printable)) {
        refuse_trace(field + " must be printable ASCII of at most " + std::to_string(most) +
                     " characters, got '" + value + "'");
    }
}

void check_code(const std::string& field, const std::string& value, std::size_t least,
                std::size_t most) {
    const auto allowed = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    if (value.size() < least || value.size() > most ||
        !std::all_of(value.begin(), value.end(), allowed)) {
        refuse_trace(field + " must be " + std::to_string(least) + " to " + std::to_string(most) +
                     " capital letters or digits, got '" + value + "'");
    }
}

}  // namespace kaname::io
