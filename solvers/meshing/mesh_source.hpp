// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

/// Model box centred on x = y = 0, its "north" side turned clockwise by the azimuth; z from
/// -depth to 0. Coordinates of the mesh stay x east, y north of the projection (not turned).
struct Box {
    double size_east_m = 0.0;
    double size_north_m = 0.0;
    double depth_m = 0.0;
    double azimuth_rad = 0.0;
};

/// Part of a fault surface that is meshed as fault faces: a rectangle in fault coordinates.
struct FaultWindow {
    double s_min = 0.0;
    double s_max = 0.0;
    double d_min = 0.0;
    double d_max = 0.0;
};

using Progress = std::function<void(double fraction, const char* stage)>;

/// Makes the mesh of one model. Deterministic.
class MeshSource {
public:
    virtual ~MeshSource() = default;
    /// Vertices and elements that build() would give, cheaply (within 10 %).
    struct Count {
        std::int64_t vertices = 0;
        std::int64_t tets = 0;
    };
    [[nodiscard]] virtual Count estimate() const = 0;
    [[nodiscard]] virtual mesh::TetMesh build(const Progress& progress) const = 0;
};

}  // namespace kaname::meshing
