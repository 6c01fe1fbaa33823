// SPDX-License-Identifier: BSD-3-Clause
// Rules and defaults of slip whose rate varies: a window of kind history, and series of stations.
#include <algorithm>

#include "proto/request/inversion/inversion_rules.hpp"

namespace kaname::request {

constexpr double kStepsOfHistory = 60.0;

bool has_history(const v1::SlipUnknowns& slip) {
    return std::ranges::any_of(slip.windows(),
                               [](const auto& window) { return window.kind() == kHistory; });
}

void fill_history(v1::SlipUnknowns& slip) {
    for (v1::SlipWindow& window : *slip.mutable_windows()) {
        if (window.kind() != kHistory) {
            continue;
        }
        if (window.step_s() == 0.0 && window.end_s() > window.begin_s()) {
            window.set_step_s((window.end_s() - window.begin_s()) / kStepsOfHistory);
        }
        if (window.start().empty()) {
            window.set_start("rest");
        }
    }
}

namespace {

/// Series of single stations, without what belongs to all of them.
void check_series(const v1::Inversion& inversion, Rules& rules) {
    for (int k = 0; k < inversion.data_size(); ++k) {
        const v1::Observations& set = inversion.data(k);
        const std::string path = element("data", k) + ".";
        if (set.has_since_s()) {
            rules.fail(path + "since_s",
                       "must be left out with a window of kind history, which takes series");
        }
        if (set.has_covariance() || set.correlation_length_m() > 0.0) {
            rules.fail(path + (set.has_covariance() ? "covariance" : "correlation_length_m"),
                       "must be left out with a window of kind history, whose errors in time are "
                       "in series");
        }
        if (set.nuisance_size() > 0) {
            rules.fail(path + "nuisance",
                       "must be left out with a window of kind history, whose terms are in series");
        }
    }
}

}  // namespace

void check_history(const v1::Inversion& inversion, Rules& rules) {
    for (int k = 0; k < inversion.slip().windows_size(); ++k) {
        const v1::SlipWindow& window = inversion.slip().windows(k);
        const auto left_out = [&](const char* field, bool given) {
            if (given && window.kind() != kHistory) {
                rules.fail(element("slip.windows", k) + "." + field,
                           "must be left out of a window of kind " + window.kind());
            }
        };
        left_out("step_s", window.step_s() != 0.0);
        left_out("start", !window.start().empty());
        left_out("elastic", window.elastic());
    }
    if (!has_history(inversion.slip())) {
        for (int k = 0; k < inversion.data_size(); ++k) {
            if (inversion.data(k).has_series()) {
                rules.fail(element("data", k) + ".series",
                           "must be left out without a window of kind history");
            }
        }
        return;
    }
    const v1::SlipUnknowns& slip = inversion.slip();
    const v1::SlipWindow& first = slip.windows(0);
    if (first.kind() != kHistory) {
        rules.fail("slip.windows[0].kind",
                   "must be history where a window has that kind, got " + first.kind());
    }
    for (int k = 1; k < slip.windows_size(); ++k) {
        const v1::SlipWindow& window = slip.windows(k);
        const std::string path = element("slip.windows", k) + ".";
        if (window.kind() != kStep) {
            rules.fail(path + "kind",
                       "must be step beside a window of kind history, got " + window.kind());
        } else if (window.begin_s() < first.begin_s() || window.begin_s() >= first.end_s()) {
            rules.fail(
                path + "begin_s",
                "must be from " + rules.beside(path + "begin_s", "begin_s", first.begin_s()) +
                    " to " + rules.beside(path + "begin_s", "end_s", first.end_s()) +
                    " of the history, got " + rules.in_unit_of(path + "begin_s", window.begin_s()));
        }
    }
    if (slip.has_moment()) {
        rules.fail("slip.moment", "must be left out with a window of kind history");
    }
    check_series(inversion, rules);
    const v1::Regularisation& weights = inversion.regularisation();
    const std::string path = "regularisation.";
    if (weights.choice() != kAbic && weights.choice() != kFixedWeights) {
        rules.fail(path + "choice",
                   "must be abic or fixed with a window of kind history, got " + weights.choice());
    }
    if (std::ranges::any_of(weights.sparsity(), [](double value) { return value > 0.0; })) {
        rules.fail(path + "sparsity", "must be 0 with a window of kind history");
    }
    if (weights.norm() == "huber") {
        rules.fail(path + "norm", "must be least_squares with a window of kind history, got huber");
    }
    if (weights.variance_components()) {
        rules.fail(path + "variance_components",
                   "must be false with a window of kind history, got true");
    }
    if (inversion.appraisal().bootstrap() > 0 || inversion.appraisal().resolution() ||
        inversion.appraisal().covariance()) {
        rules.fail("appraisal", "must be left out with a window of kind history");
    }
    if (inversion.has_synthetic()) {
        rules.fail("synthetic", "must be left out with a window of kind history");
    }
    if (inversion.has_posterior()) {
        rules.fail("posterior", "must be left out with a window of kind history");
    }
}

}  // namespace kaname::request
