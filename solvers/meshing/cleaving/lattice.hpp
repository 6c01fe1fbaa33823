// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
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

/// Shape of a tetrahedron as one number [degrees], to be made large: its smallest dihedral angle,
/// or two thirds of what its largest lacks to 180, whichever is less. Flat and inverted: -1 and
/// less, the lower the larger the volume on the wrong side is for the area of the faces.
[[nodiscard]] inline double shape_deg(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 ab = b - a, ac = c - a, ad = d - a, bc = c - b, bd = d - b;
    const double volume6 = dot(cross(ab, ac), ad);
    const Vec3 n[4] = {cross(bc, bd), cross(ad, ac), cross(ab, ad), cross(ac, ab)};
    double inverse[4];
    double area2 = 0.0;
    for (int k = 0; k < 4; ++k) {
        const double length2 = dot(n[k], n[k]);
        area2 += length2;
        inverse[k] = 1.0 / std::sqrt(length2 + 1e-300);
    }
    if (!(volume6 > 0.0)) {
        return -1.0 + 100.0 * volume6 / (std::pow(area2, 0.75) + 1e-300);
    }
    double least = 1.0, most = -1.0;  // extremes of the cosines
    for (int k = 0; k < 4; ++k) {
        for (int l = k + 1; l < 4; ++l) {
            const double cosine = -dot(n[k], n[l]) * inverse[k] * inverse[l];
            least = std::min(least, cosine);
            most = std::max(most, cosine);
        }
    }
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    const double smallest = kDegrees * std::acos(std::clamp(most, -1.0, 1.0));
    const double lacking = 180.0 - kDegrees * std::acos(std::clamp(least, -1.0, 1.0));
    return std::min(smallest, 2.0 / 3.0 * lacking);
}

[[nodiscard]] inline double shape_deg(const std::vector<Vec3>& xyz,
                                      const std::array<std::int32_t, 4>& tet) {
    return shape_deg(xyz[tet[0]], xyz[tet[1]], xyz[tet[2]], xyz[tet[3]]);
}

/// The tets around every vertex.
class Stars {
public:
    Stars(std::size_t vertices, std::span<const Tet> tets);
    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t vertex) const {
        return {tets_.data() + begin_[vertex], tets_.data() + begin_[vertex + 1]};
    }

private:
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> tets_;
};

}  // namespace kaname::cleaving
