// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/waveforms/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <regex>

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

double utc_seconds(const std::string& field, const std::string& text) {
    using namespace std::chrono;
    static const std::regex form(
        "([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T "
        "]([0-9]{2}):([0-9]{2})(?::([0-9]{2}(?:\\.[0-9]{1,9})?)"
        ")?)?Z?");
    std::smatch found;
    const auto refuse = [&] {
        refuse_trace(field +
                     ": must be a time of UTC in the years 1900 to 2100, as 2016-11-13T11:02:56Z, "
                     "got '" +
                     text + "'");
    };
    if (!std::regex_match(text, found, form)) {
        refuse();
    }
    const auto part = [&](std::size_t k) {
        return found[k].matched ? std::stod(found[k].str()) : 0.0;
    };
    const year_month_day date{year(static_cast<int>(part(1))),
                              month(static_cast<unsigned>(part(2))),
                              day(static_cast<unsigned>(part(3)))};
    if (!date.ok() || part(1) < 1900 || part(1) > 2100 || part(4) > 23.0 || part(5) > 59.0 ||
        part(6) >= 60.0) {
        refuse();
    }
    const auto days = sys_days(date).time_since_epoch().count();
    return static_cast<double>(days) * 86400.0 + part(4) * 3600.0 + part(5) * 60.0 + part(6);
}

std::string utc_text(double seconds) {
    using namespace std::chrono;
    const sys_time<microseconds> time{microseconds(std::llround(seconds * 1e6))};
    const sys_days date = floor<days>(time);
    const year_month_day calendar(date);
    const hh_mm_ss clock(time - date);
    char text[48];
    std::snprintf(
        text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(calendar.year()),
        static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

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
