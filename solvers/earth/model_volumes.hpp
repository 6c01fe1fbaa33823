// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/volume_model.hpp"

namespace kaname::earth {

/// Size of every volume [m^3] inside the box, from its bottom to the free surface: thickness, exact
/// on each vertical line, times area, by the midpoint rule with 512 lines along the longer side.
[[nodiscard]] std::vector<double> volumes_m3(const VolumeModel& model);

}  // namespace kaname::earth
