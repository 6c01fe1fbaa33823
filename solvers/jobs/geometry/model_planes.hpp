// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/jobs/geometry/scenario_models.hpp"

namespace kaname::jobs {

/// Axes of a plane fault: centre of its upper edge, strike (grid azimuth), dip, sizes.
struct PlaneOutline {
    Vec3 top_centre;
    double strike_rad = 0.0, dip_rad = 0.0, length_m = 0.0, width_m = 0.0;
};
/// Planes of the models' segments.
struct PlanesOfModels {
    std::vector<PlaneOutline> planes;
    std::vector<std::vector<int>> of_segment;  ///< [models][segments]: index into `planes`
};
/// The rectangles that hold the models, each for all segments that lie in its plane, to the surface
/// where one of them reaches it. A segment's plane is that of its patches' centres where they form
/// a grid: what a file states as strike and dip is rounded, and of the flat Earth. Throws
/// ValidationError (field fault) for slip at points, which says nothing of a plane, and for a
/// segment that is no plane.
[[nodiscard]] PlanesOfModels planes_of(std::span<const ScenarioModel> models, double cell_m);

}  // namespace kaname::jobs
