// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

using Tet = std::array<std::int32_t, 4>;
/// The vertices of an edge, the smaller number first.
using Edge = std::pair<std::int32_t, std::int32_t>;

/// Which coordinates of a vertex are those of a side of the box: bits 0, 1, 2 for u, v, z.
using Walls = std::uint8_t;

/// Body-centred lattice of an octree: every leaf has a vertex in its middle, joined over each face
/// with the middle of its neighbour; the edges of the face (halved where a finer leaf needs it)
/// make tetrahedra with that axis. On a side of the box the face's own middle takes the
/// neighbour's place. Between levels the face is the finer leaf's.
/// Vertices are in Morton order; all tets have positive volume.
struct Lattice {
    std::vector<Vec3> xyz;
    std::vector<Walls> walls;
    std::vector<Tet> tets;
};
[[nodiscard]] Lattice make_lattice(const Octree& octree);

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
