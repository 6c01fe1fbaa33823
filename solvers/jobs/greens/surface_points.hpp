// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::jobs {

/// The second-order nodes of the model's top, where results hold the surface's motion. A node on
/// the trace of a fault that breaks the surface moves differently on its two sides and stands there
/// once per side, so that within every face the motion is the solution itself. The order follows
/// from the mesh alone. A mesh of several parts has the points of its first one.
struct SurfacePoints {
    struct Face {
        std::array<std::int32_t, 3> vertices;
        std::array<std::int32_t, 6> points;  ///< points at the vertices, then on edges 01, 12, 20
        /// For each vertex, how many faults it is on the plus side of, less how many it is on the
        /// minus side of.
        std::array<int, 3> plus;
    };
    std::vector<p2::Location> places;  ///< [P]
    std::vector<Face> faces;
};
[[nodiscard]] SurfacePoints find_surface_points(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                                const fault::SplitNodes& split, int n_parts = 1);

/// Value at a place of the surface = sum of weights times values at points.
struct SurfaceStencil {
    std::array<std::int32_t, 6> points{};
    std::array<double, 6> weights{};
};
/// Nothing where `at` [m] does not lie on the surface (to a millionth of a face's size). On a
/// fault's trace the plus side.
[[nodiscard]] std::optional<SurfaceStencil> surface_stencil(const SurfacePoints& surface,
                                                            const mesh::TetMesh& mesh,
                                                            const Vec3& at);

}  // namespace kaname::jobs
