// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/rules.hpp"
#include "proto/spec/greens/checks.hpp"

namespace kaname::spec {
namespace {

void check_table(const v1::SlipHistory& history, const std::string& path, double end_s,
                 Rules& rules) {
    if (history.times_s().empty() || history.times_s_size() != history.slip_size()) {
        rules.fail(path + ".slip", "must have as many values as times_s, at least one; got " +
                                       std::to_string(history.slip_size()) + " and " +
                                       std::to_string(history.times_s_size()));
    }
    for (int index = 0; index < history.times_s_size(); ++index) {
        const std::string field = element(path + ".times_s", index);
        const double time = history.times_s(index);
        rules.in_range(field, time, 0.0, end_s);
        if (index > 0 && time < history.times_s(index - 1)) {
            rules.fail(field, "must not be before the time before it, " +
                                  rules.in_unit_of(field, history.times_s(index - 1)) + ", got " +
                                  rules.in_unit_of(field, time));
        }
    }
}

}  // namespace

void check_history(const v1::SlipHistory& history, const std::string& path, double end_s,
                   const std::vector<std::string>& kinds, Rules& rules) {
    const std::string& kind = history.kind();
    if (!kind.empty()) {
        rules.one_of(path + ".kind", kind, kinds);
    }
    const bool constant = kind == "exponential" || kind == "logarithmic";
    const std::string without = "must be left out with kind " + quote(kind.empty() ? "step" : kind);
    const auto needed = [&](const std::string& field, double value, bool by_this_kind) {
        if (by_this_kind) {
            rules.positive(field, value);
        } else if (value != 0.0) {
            rules.fail(field, without + ", got " + rules.in_unit_of(field, value));
        }
    };
    needed(path + ".duration_s", history.duration_s(), kind == "ramp" || kind == "steady");
    needed(path + ".time_constant_s", history.time_constant_s(), constant);
    if (kind == "table") {
        check_table(history, path, end_s, rules);
    } else if (!history.times_s().empty() || !history.slip().empty()) {
        rules.fail(path + ".times_s", without);
    }
    if (kind == "logarithmic" && end_s <= 0.0) {
        rules.fail("time.end_s", "must be later than the beginning of a logarithmic " + path +
                                     ", which reaches 1 there");
    }
}

}  // namespace kaname::spec
