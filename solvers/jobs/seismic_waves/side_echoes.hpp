// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/seismic_waves/seismic_job.hpp"

namespace kaname::jobs {

/// What absorbing sides of a box add to seismograms, as it is known before anything is solved. A
/// side takes what meets it head on, and sends back of a wave at the angle theta from its normal
/// about (1 - cos theta)/(1 + cos theta), of waves guided along the ground about 0.4; as dashpots
/// sides hold no static offset. Warnings name the receivers, when the first such wave of over 5 %
/// comes and how large it is beside the direct one, where displacements end over 10 % off, and the
/// box that would do. Empty for a mesh of one's own.
[[nodiscard]] std::vector<std::string> side_warnings(const SeismicJob& job);

}  // namespace kaname::jobs
