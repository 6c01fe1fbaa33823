// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/meshing/mesh_source.hpp"
#include "solvers/sources/fault_surface.hpp"

namespace kaname::meshing {

/// Map area of a window of a fault, as a polygon of points of its rim.
class MapArea {
public:
    MapArea(const sources::FaultSurface& fault, const FaultWindow& window);
    /// Horizontal distance [m]; 0 inside.
    [[nodiscard]] double distance(double x, double y) const;

private:
    std::vector<std::array<double, 2>> rim_;
};

}  // namespace kaname::meshing
