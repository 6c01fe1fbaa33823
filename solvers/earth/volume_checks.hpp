// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/plan_nodes.hpp"
#include "solvers/earth/volume_layout.hpp"

namespace kaname::earth {

/// Checks the volumes' names, bounds and materials, as far as no file is needed.
void check_volumes(const VolumeLayout& layout, Findings& findings);

/// Where a volume is.
struct VolumeReach {
    double lowest_m = 0.0, highest_m = 0.0;
    bool anywhere = false;
};

/// Reach of every volume on vertical lines over the plan (64 along its longer side; 512 before a
/// volume counts as being nowhere). One that is nowhere is a finding that says why: its top under
/// its bottom, outside the box, or covered by volumes named before it. So is a free surface that
/// reaches the bottom.
[[nodiscard]] std::vector<VolumeReach> find_reach(const VolumeLayout& layout,
                                                  const VolumeModel& model, const PlanFrame& frame,
                                                  Findings& findings);

}  // namespace kaname::earth
