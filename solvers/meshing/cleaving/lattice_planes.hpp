// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Stretches a lattice along its axes, linearly between planes that must have a place of their own:
/// sheets and rims there need no cut but that through the middles of edges.
class LatticePlanes {
public:
    LatticePlanes(const LatticePlaneRequest& request, const Octree::Roots& roots);

    [[nodiscard]] Vec3 operator()(const Vec3& x) const;
    /// Returns true if nothing moves.
    [[nodiscard]] bool none() const;

private:
    struct Knot {
        double from = 0.0, to = 0.0;
    };
    std::array<std::vector<Knot>, 3> knots_;  ///< ascending; the box's ends are the first and last
};

}  // namespace kaname::cleaving
