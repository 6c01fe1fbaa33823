// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"

namespace kaname::cleaving {

/// Places where boundaries between volumes are not met exactly, because doing so left tetrahedra
/// that could not be mended: there tets keep their lattice's faces and take a volume as a whole.
struct UnresolvedRegions {
    struct Place {
        Vec3 at;
        double radius_m = 0.0;
    };
    std::vector<Place> places;
    std::size_t latest = 0;  ///< number of places from the last attempt

    [[nodiscard]] bool holds(const Vec3& x) const {
        for (const Place& place : places) {
            const Vec3 away = x - place.at;
            if (dot(away, away) < place.radius_m * place.radius_m) {
                return true;
            }
        }
        return false;
    }
};

/// Moves vertices that a sheet passes close by onto it, so that the cuts that are left stay away
/// from the ends of their edges: nearer than a quarter of a long (axis-parallel) edge, or 0.41 of
/// a short (diagonal) one of the lattice (Labelle and Shewchuk 2007, table 1). Of several sheets
/// the one of best rank takes the vertex, with the next one if both are met close by.
/// Vertices of tets that are turned over or flattened by it go back again.
/// `cell_edge`: edges of a root of the octree, to tell long edges from short ones; zero once the
/// mesh has been cut and is no lattice any more: then all edges are long.
void warp(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
          const Vec3& cell_edge);

/// An edge whose ends are in conflict, and where the sheet between them crosses it.
struct Conflict {
    std::int32_t p = 0, q = 0;  ///< p < q
    std::int32_t sheet = 0;
    double t = 0.0;  ///< where on the edge, from p, 0..1
};

/// Conflicts in ascending order of (p, q). Left out are edges that no sheet crosses where two
/// volumes meet (the end of a layer that merges with another), and boundaries between volumes where
/// it is calm.
[[nodiscard]] std::vector<Conflict> find_conflicts(const Complex& complex, const Labeller& labeller,
                                                   const UnresolvedRegions& unresolved);

}  // namespace kaname::cleaving
