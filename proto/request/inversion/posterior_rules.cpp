// SPDX-License-Identifier: BSD-3-Clause
// Rules of the posterior of slip, and of viscosities that are sampled with it.
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

}  // namespace kaname::request
