// SPDX-License-Identifier: BSD-3-Clause
// Rules of the posterior of slip, of viscosities that are sampled with it, and of errors of the
// structure.
#include <algorithm>

#include "proto/request/form/text.hpp"
#include "proto/request/inversion/inversion_rules.hpp"

namespace kaname::request {
namespace {

/// The dataset knows which viscosities there are; here each is named once.
void check_theta(const v1::PosteriorSampling& posterior, Rules& rules) {
    const int n = posterior.theta_size();
    if (n > 4) {
        rules.fail("posterior.theta", "must name at most 4 viscosities, got " + std::to_string(n));
    }
    for (int k = 0; k < n; ++k) {
        const std::string& name = posterior.theta(k);
        if (std::ranges::find(posterior.theta(), name) != posterior.theta().begin() + k) {
            rules.fail(element("posterior.theta", k),
                       "must be named once, got " + quote(name) + " again");
        }
    }
    if (posterior.nodes() > 0 && n == 0) {
        rules.fail("posterior.nodes", "must be left out without posterior.theta, got " +
                                          std::to_string(posterior.nodes()));
    }
}

}  // namespace

void check_posterior(const v1::Inversion& inversion, Rules& rules) {
    if (!inversion.has_posterior()) {
        return;
    }
    if (inversion.slip().has_moment()) {
        rules.fail("slip.moment", "must be left out with posterior, which is without conditions");
    }
    if (inversion.regularisation().norm() == "huber") {
        rules.fail("regularisation.norm",
                   "must be least_squares with posterior, which takes errors as normal, got huber");
    }
    check_theta(inversion.posterior(), rules);
    const v1::SlipUnknowns& slip = inversion.slip();
    if (slip.has_min_m() && slip.has_max_m() && slip.min_m() == slip.max_m()) {
        rules.fail("slip.max_m",
                   "must be above " + rules.beside("slip.max_m", "min_m", slip.min_m()) +
                       " with posterior, got " + rules.in_unit_of("slip.max_m", slip.max_m()));
    }
}

void check_model_errors(const v1::Inversion& inversion, Rules& rules) {
    if (!inversion.has_model_errors()) {
        return;
    }
    const v1::ModelErrors& errors = inversion.model_errors();
    const int n = errors.datasets_size();
    if (errors.has_campaign() == (n > 0)) {
        rules.fail("model_errors",
                   std::string("must have exactly one of datasets and campaign, got ") +
                       (n > 0 ? "both" : "none"));
    } else if (n == 1) {
        rules.fail("model_errors.datasets",
                   "must have two or more datasets, whose motion differs, got 1");
    }
    for (int k = 0; k < n; ++k) {
        const auto same = std::ranges::find_if(errors.datasets(), [&](const v1::File& other) {
            return !other.sha256().empty() && other.sha256() == errors.datasets(k).sha256();
        });
        if (const auto first = same - errors.datasets().begin();
            same != errors.datasets().end() && first < k) {
            rules.fail(element("model_errors.datasets", k),
                       "must differ from the others, has the content of " +
                           element("model_errors.datasets", static_cast<int>(first)));
        }
    }
    const std::string rule = "must be left out with model_errors, ";
    if (inversion.posterior().theta_size() > 0) {
        rules.fail("posterior.theta", rule + "whose datasets differ in viscosity themselves");
    }
    if (inversion.appraisal().bootstrap() > 0) {
        rules.fail("appraisal.bootstrap",
                   rule + "which are errors of all stations together: it draws them one by one");
    }
    if (has_history(inversion.slip())) {
        rules.fail("model_errors", "must be left out with a window of kind history");
    }
}

}  // namespace kaname::request
