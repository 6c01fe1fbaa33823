// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/fault/fault_surface.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::meshing {

/// Map area of a window of a fault, as a polygon of points of its rim.
class MapArea {
public:
    MapArea(const fault::FaultSurface& fault, const FaultWindow& window);
    /// Horizontal distance [m]; 0 inside.
    [[nodiscard]] double distance(double x, double y) const;

private:
    std::vector<std::array<double, 2>> rim_;
};

}  // namespace kaname::meshing
