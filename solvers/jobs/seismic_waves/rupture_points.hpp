// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/jobs/seismic_waves/seismic_job.hpp"

namespace kaname::jobs {

/// The field of a source's rupture or patch.
[[nodiscard]] std::string rupture_field(const SeismicJob::Source& source);

/// The point sources of a rupture, where they lie, with moments per Pa of the rigidity there.
/// Throws ValidationError (of `field`) for a file that is none, and for what it leaves
/// unsaid and the request too.
[[nodiscard]] std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                                     const RuptureRequest& rupture,
                                                                     const std::string& field,
                                                                     double spacing_m);

}  // namespace kaname::jobs
