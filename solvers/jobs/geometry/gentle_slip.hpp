// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// Predicted error of the ground's change since slip that dips by `dip_deg` in rock that relaxes, a
/// part of the change: 3.2 % (10 / dip)^1.2 growth / 0.3. The change itself is small there, 2 to
/// 6 % of the motion right after the slip for dips of 5 and 10. A fit to uniform half-spaces half a
/// Maxwell time to twenty after the slip (docs/user/accuracy.md), where it is within a factor of
/// 1.7 of what was found.
[[nodiscard]] double gentle_slip_error(double dip_deg, double growth);

/// Warns where slip dips so gently in rock that relaxes that the change since is predicted to be
/// off by more than 2 %: the gentlest dip, the figure, and what makes it smaller. Says nothing of
/// times before half a Maxwell time, nor where slip is known with the mesh alone.
[[nodiscard]] std::vector<std::string> gentle_slip(const GreensJob& job, const Domain& domain,
                                                   const SourceSet& slip);

}  // namespace kaname::jobs
