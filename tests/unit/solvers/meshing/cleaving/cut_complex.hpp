// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "solvers/meshing/cleaving/finish.hpp"
#include "solvers/meshing/cleaving/warp.hpp"
#include "tests/unit/solvers/meshing/cleaving/complex_facts.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving {

inline constexpr double kHalf_m = 50e3;
inline constexpr meshing::Box kCubeBox = {2 * kHalf_m, 2 * kHalf_m, 2 * kHalf_m, 0.0};

/// Lattice of the cube from z = -2 kHalf_m to `top_m`, cells along its longer side, labelled.
inline Complex labelled_cube(const Labeller& labeller, int cells, double top_m = 0.0) {
    const double edge = 2 * kHalf_m / cells;
    const int deep = static_cast<int>(std::lround((2 * kHalf_m + top_m) / edge));
    const Octree::Roots roots = {
        {-kHalf_m, -kHalf_m, -2 * kHalf_m}, {edge, edge, edge}, {cells, cells, deep}};
    return label(make_lattice(Octree(roots, 1'000'000, [](auto&&...) { return false; })), labeller);
}

/// A cube warped and cut twice, as volume_mesh does it.
inline Complex cut_cube(const Labeller& labeller, int cells, double top_m = 0.0,
                        const UnresolvedRegions& unresolved = {}) {
    Complex complex = labelled_cube(labeller, cells, top_m);
    const double edge = 2 * kHalf_m / cells;
    warp(complex, labeller, unresolved, {edge, edge, edge});
    cut(complex, labeller, unresolved, false);
    warp(complex, labeller, unresolved, {});
    cut(complex, labeller, unresolved, true);
    return complex;
}

/// Faces between tets of different volumes.
inline std::vector<std::array<std::int32_t, 3>> interface_faces(const Complex& complex) {
    std::map<std::array<std::int32_t, 3>, std::uint64_t> volumes;
    std::vector<std::array<std::int32_t, 3>> faces;
    for (std::size_t t = 0; t < complex.tets.size(); ++t) {
        for (const auto& f : p2::kTetFaces) {
            std::array<std::int32_t, 3> face{};
            for (int k = 0; k < 3; ++k) {
                face[k] = complex.tets[t][f[k]];
            }
            std::ranges::sort(face);
            std::uint64_t& seen = volumes[face];
            if (seen != 0 && seen != complex.tet_labels[t].volumes) {
                faces.push_back(face);
            }
            seen = complex.tet_labels[t].volumes;
        }
    }
    return faces;
}

/// Their vertices.
inline std::vector<std::int32_t> interface_vertices(const Complex& complex) {
    std::vector<std::int32_t> vertices;
    for (const auto& face : interface_faces(complex)) {
        vertices.insert(vertices.end(), face.begin(), face.end());
    }
    std::ranges::sort(vertices);
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    return vertices;
}

/// Their centroids.
inline std::vector<Vec3> interface_middles(const Complex& complex) {
    std::vector<Vec3> middles;
    for (const auto& [a, b, c] : interface_faces(complex)) {
        middles.push_back(1.0 / 3.0 * (complex.xyz[a] + complex.xyz[b] + complex.xyz[c]));
    }
    return middles;
}

}  // namespace kaname::cleaving
