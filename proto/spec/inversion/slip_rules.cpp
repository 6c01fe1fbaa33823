// SPDX-License-Identifier: BSD-3-Clause
// Rules of the unknown slip.
#include <algorithm>
#include <map>
#include <set>

#include "proto/spec/form/text.hpp"
#include "proto/spec/inversion/inversion_rules.hpp"

namespace kaname::spec {
namespace {

constexpr double kHalfTurn_deg = 180.0;

bool is_rate(const v1::SlipWindow& window) {
    return window.kind() == kSteady || window.kind() == kCoupling;
}

void check_components(const v1::SlipUnknowns& slip, Rules& rules) {
    std::set<std::string> seen;
    for (int k = 0; k < slip.components_size(); ++k) {
        const std::string& word = slip.components(k);
        if (word.empty() || !seen.insert(word).second) {
            rules.fail(element("slip.components", k),
                       "must be given and there once, got " + quote(word));
        }
    }
    const bool turned =
        slip.has_rake_from_deg() || slip.has_rake_to_deg() || slip.has_azimuth_deg();
    if (turned && slip.components_size() > 0 && slip.components_size() != 2) {
        rules.fail("slip.components",
                   "must be two, or be left out, with rake limits or an azimuth, got " +
                       std::to_string(slip.components_size()));
    }
}

void check_bounds(const v1::SlipUnknowns& slip, Rules& rules) {
    if (!slip.allow_negative()) {
        rules.not_negative("slip.min_m", slip.min_m());
    }
    if (slip.has_max_m() && slip.has_min_m() && slip.max_m() < slip.min_m()) {
        rules.fail("slip.max_m", "must be >= " + rules.beside("slip.max_m", "min_m", slip.min_m()) +
                                     ", got " + rules.in_unit_of("slip.max_m", slip.max_m()));
    }
}

void check_direction(const v1::SlipUnknowns& slip, Rules& rules) {
    const bool limits = slip.has_rake_from_deg() || slip.has_rake_to_deg();
    if (slip.has_azimuth_deg()) {
        rules.in_range("slip.azimuth_deg", slip.azimuth_deg(), -360.0, 360.0);
        if (limits) {
            rules.fail("slip.azimuth_deg", "excludes rake_from_deg and rake_to_deg; keep one");
        }
    }
    if (!limits) {
        return;
    }
    rules.given("slip.rake_from_deg", slip.has_rake_from_deg());
    rules.given("slip.rake_to_deg", slip.has_rake_to_deg());
    if (slip.has_rake_from_deg() && slip.has_rake_to_deg()) {
        rules.in_range("slip.rake_from_deg", slip.rake_from_deg(), -360.0, 360.0);
        const double from = slip.rake_from_deg(), to = slip.rake_to_deg();
        if (!(from < to && to < from + kHalfTurn_deg)) {
            rules.fail("slip.rake_to_deg", "must be above rake_from_deg = " + show(from) +
                                               " by less than 180, got " + show(to));
        }
    }
    if (slip.allow_negative()) {
        rules.fail("slip.allow_negative",
                   "must be false with rake limits, which leave no way back");
    }
}

void check_moment(const v1::SlipUnknowns& slip, Rules& rules) {
    if (!slip.has_moment()) {
        return;
    }
    const v1::Moment& moment = slip.moment();
    const std::string path = "slip.moment.";
    rules.one_of(path + "relation", moment.relation(), {"equal", "at_most", "at_least"});
    if (moment.has_magnitude() == moment.has_moment_n_m()) {
        rules.fail("slip.moment", std::string("must have exactly one of magnitude and moment_n_m, "
                                              "got ") +
                                      (moment.has_magnitude() ? "both" : "none"));
    }
    if (moment.has_magnitude()) {
        rules.in_range(path + "magnitude", moment.magnitude(), -2.0, 11.0);
    }
    if (moment.has_moment_n_m()) {
        rules.positive(path + "moment_n_m", moment.moment_n_m());
    }
    if (!slip.windows().empty() && std::ranges::all_of(slip.windows(), is_rate)) {
        rules.fail("slip.moment",
                   "must be left out where every window is a rate: it is the moment of steps and "
                   "ramps");
    }
}

void check_window(const v1::SlipWindow& window, const std::string& path,
                  const InversionFacts& facts, Rules& rules) {
    rules.one_of(path + "kind", window.kind(), {kStep, kRamp, kSteady, kCoupling});
    const std::string begin = path + "begin_s", end = path + "end_s";
    const auto left_out = [&](const std::string& field, double value) {
        if (value != 0.0) {
            rules.fail(field, "must be left out of a window of kind " + window.kind() + ", got " +
                                  rules.in_unit_of(field, value));
        }
    };
    if (is_rate(window)) {
        left_out(begin, window.begin_s());
    }
    if (is_rate(window) || window.kind() == kStep) {
        left_out(end, window.end_s());
    }
    if (window.kind() == kRamp && window.end_s() <= window.begin_s()) {
        rules.fail(end, "must be after " + rules.beside(end, "begin_s", window.begin_s()) +
                            ", got " + rules.in_unit_of(end, window.end_s()));
    }
    if (facts.velocities && !is_rate(window)) {
        rules.fail(path + "kind",
                   "must be steady or coupling, there are velocities among the data, "
                   "got " +
                       quote(window.kind()));
    }
}

void check_windows(const v1::SlipUnknowns& slip, const InversionFacts& facts, Rules& rules) {
    std::map<std::string, int> first;
    for (int k = 0; k < slip.windows_size(); ++k) {
        const v1::SlipWindow& window = slip.windows(k);
        const std::string path = element("slip.windows", k) + ".";
        if (!is_name(window.name())) {
            rules.fail(path + "name",
                       "must be 1 to 63 lower-case letters, digits and hyphens, not starting with "
                       "a hyphen, got " +
                           quote(window.name()));
        } else if (const auto [at, fresh] = first.try_emplace(window.name(), k); !fresh) {
            rules.fail(path + "name", "must be unique, got " + quote(window.name()) + " as in " +
                                          element("slip.windows", at->second));
        }
        check_window(window, path, facts, rules);
    }
    if (facts.known && slip.windows().empty()) {
        rules.fail("slip.windows",
                   "must be given, the data are displacements and velocities: "
                   "steady or coupling, and since_s of the displacements");
    }
}

}  // namespace

void check_slip(const v1::SlipUnknowns& slip, const InversionFacts& facts, Rules& rules) {
    check_components(slip, rules);
    check_bounds(slip, rules);
    check_direction(slip, rules);
    check_moment(slip, rules);
    check_windows(slip, facts, rules);
}

}  // namespace kaname::spec
