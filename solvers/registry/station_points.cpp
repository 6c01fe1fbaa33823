// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/station_points.hpp"

#include "solvers/registry/top_height.hpp"

namespace kaname::registry {

std::vector<Vec3> station_points(const GreensJob& job, const Setup& setup,
                                 const mesh::TetMesh& mesh) {
    std::vector<Vec3> points = setup.stations();
    if (!setup.has_relief()) {
        return points;
    }
    const TopHeight top(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::optional<double> height_m = top.at(points[k].x, points[k].y);
        // In a mesh file of one's own what is above the top is moved to its nearest place.
        const bool above = setup.volumes() != nullptr && height_m && points[k].z > *height_m;
        if (height_m && (!job.stations[k].depth_m || above)) {
            points[k].z = *height_m;
        }
    }
    return points;
}

}  // namespace kaname::registry
