// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "worker/jobs/ader_dg/seismic_job.hpp"

namespace kaname::jobs {

/// Returns warnings on waves that absorbing sides of a box add to seismograms, estimated before
/// anything is solved. A side absorbs waves of normal incidence. It reflects about
/// (1 - cos theta)/(1 + cos theta) of a wave at the angle theta from its normal, and about 0.4 of
/// waves guided along the ground. As dashpots sides hold no static offset. Warnings name the
/// receivers, when the first reflection of over 5 % arrives and how large it is beside the direct
/// wave. They also name where displacements end over 10 % off, and the box that would suffice. The
/// list is empty for a mesh of one's own.
[[nodiscard]] std::vector<std::string> side_warnings(const SeismicJob& job);

}  // namespace kaname::jobs
