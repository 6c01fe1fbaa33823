// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::cleaving {

/// Volume of all tets [m^3].
inline double total_volume(const std::vector<Vec3>& xyz, const std::vector<Tet>& tets) {
    double sum = 0.0;
    for (const Tet& t : tets) {
        sum += det6(xyz[t[0]], xyz[t[1]], xyz[t[2]], xyz[t[3]]) / 6.0;
    }
    return sum;
}

/// Volume of the tets that belong to `volume` alone [m^3].
inline double volume_of(const Complex& complex, int volume) {
    std::vector<Tet> tets;
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        if (complex.tet_labels[t].volumes == volume_bit(volume)) {
            tets.push_back(complex.tets[t]);
        }
    }
    return total_volume(complex.xyz, tets);
}

inline double least_shape_deg(const std::vector<Vec3>& xyz, const std::vector<Tet>& tets) {
    double least = 180.0;
    for (const Tet& tet : tets) {
        least = std::min(least, shape_deg(xyz, tet));
    }
    return least;
}

inline double least_dihedral_deg(const std::vector<Vec3>& xyz, const std::vector<Tet>& tets) {
    double least = 180.0;
    for (const Tet& t : tets) {
        const auto angles = mesh::dihedral_angles_deg({xyz[t[0]], xyz[t[1]], xyz[t[2]], xyz[t[3]]});
        least = std::min(least, std::ranges::min(angles));
    }
    return least;
}

/// Faces of one tet only, and those of more than two.
struct FaceUses {
    std::vector<std::array<std::int32_t, 3>> free;
    int crowded = 0;
};
inline FaceUses count_faces(const std::vector<Tet>& tets) {
    std::map<std::array<std::int32_t, 3>, int> uses;
    for (const Tet& tet : tets) {
        for (int skip = 0; skip < 4; ++skip) {
            std::array<std::int32_t, 3> face{};
            for (int k = 0, n = 0; k < 4; ++k) {
                if (k != skip) {
                    face[n++] = tet[k];
                }
            }
            std::ranges::sort(face);
            ++uses[face];
        }
    }
    FaceUses found;
    for (const auto& [face, n] : uses) {
        if (n == 1) {
            found.free.push_back(face);
        }
        found.crowded += n > 2 ? 1 : 0;
    }
    return found;
}

/// No tet has a face on one side only, but where all corners are on one side of the box.
inline bool conforms(const std::vector<Vec3>& xyz, const std::vector<Walls>& walls,
                     const std::vector<Tet>& tets) {
    const FaceUses faces = count_faces(tets);
    return faces.crowded == 0 && std::ranges::all_of(faces.free, [&](const auto& face) {
               for (int axis = 0; axis < 3; ++axis) {
                   if ((walls[face[0]] & walls[face[1]] & walls[face[2]] & 1U << axis) != 0 &&
                       xyz[face[0]][axis] == xyz[face[1]][axis] &&
                       xyz[face[0]][axis] == xyz[face[2]][axis]) {
                       return true;
                   }
               }
               return false;
           });
}

}  // namespace kaname::cleaving
