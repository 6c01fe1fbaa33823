// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/waves/time_function_rules.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace kaname::spec {
namespace {

/// A number of the message and the kinds that need it.
struct Number {
    const char* field;
    double value;
    std::vector<std::string_view> kinds;
};

bool is_in(const std::string& kind, const std::vector<std::string_view>& kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

void check_table(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const auto& times = function.times_s();
    if (times.size() < 2 || times.size() != function.values_size()) {
        rules.fail(path + ".times_s", "must be at least 2, and as many as values, got " +
                                          std::to_string(times.size()) + " times and " +
                                          std::to_string(function.values_size()) + " values");
    }
    for (int k = 1; k < times.size(); ++k) {
        if (times[k] <= times[k - 1]) {
            rules.fail(
                element(path + ".times_s", k),
                "must be > the time before it, " + show(times[k - 1]) + ", got " + show(times[k]));
        }
    }
}

}  // namespace

void check_time_function(const v1::TimeFunction& function, const std::string& path, Rules& rules) {
    const std::string& kind = function.kind();
    const std::vector<std::string> kinds = {"ricker", "gaussian", "band",
                                            "table",  "triangle", "cosine",
                                            "brune",  "yoffe",    "smoothed_step"};
    rules.one_of(path + ".kind", kind, kinds);
    if (std::ranges::find(kinds, kind) == kinds.end()) {
        return;  // what belongs to it is not known
    }
    const auto leave_out = [&](const char* name) {
        rules.fail(path + "." + name, "must be left out of a time function " + quote(kind));
    };
    const Number numbers[] = {
        {"frequency_hz", function.frequency_hz(), {"ricker"}},
        {"width_s", function.width_s(), {"gaussian"}},
        {"from_hz", function.from_hz(), {"band"}},
        {"to_hz", function.to_hz(), {"band"}},
        {"duration_s", function.duration_s(), {"triangle", "cosine", "smoothed_step"}},
        {"tau_s", function.tau_s(), {"brune"}},
        {"rise_time_s", function.rise_time_s(), {"yoffe"}},
    };
    for (const Number& number : numbers) {
        if (is_in(kind, number.kinds)) {
            rules.positive(path + "." + number.field, number.value);
        } else if (number.value != 0.0) {
            leave_out(number.field);
        }
    }
    if (kind == "band" && function.to_hz() <= function.from_hz()) {
        rules.fail(path + ".to_hz", "must be > from_hz = " + show(function.from_hz()) + ", got " +
                                        show(function.to_hz()));
    }
    if (const double smoothing_s = function.smoothing_s(); kind == "yoffe") {
        const std::string field = path + ".smoothing_s";
        rules.not_negative(field, smoothing_s);
        if (2.0 * smoothing_s >= function.rise_time_s() && function.rise_time_s() > 0.0) {
            rules.fail(field, "must be < half of " +
                                  rules.beside(field, "rise_time_s", function.rise_time_s()) +
                                  ", got " + rules.in_unit_of(field, smoothing_s));
        }
    } else if (smoothing_s != 0.0) {
        leave_out("smoothing_s");
    }
    if (function.has_centre_s() && !is_in(kind, {"ricker", "gaussian", "band"})) {
        leave_out("centre_s");
    }
    if (function.onset_s() != 0.0 && is_in(kind, {"ricker", "gaussian", "band", "table"})) {
        leave_out("onset_s");
    }
    if (kind == "table") {
        check_table(function, path, rules);
    } else if (function.times_s_size() + function.values_size() > 0) {
        leave_out("times_s");
    }
}

}  // namespace kaname::spec
