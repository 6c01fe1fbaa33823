// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh {

struct QualityReport {
    std::int64_t vertices = 0;
    std::int64_t tets = 0;
    double min_dihedral_deg = 0.0;
    double max_dihedral_deg = 0.0;
    double p001_min_dihedral_deg = 0.0;  ///< 99.9 % of elements have a larger smallest angle
    std::array<std::int64_t, 18> dihedral_histogram{};  ///< ten-degree bins of all dihedral angles
    struct Element {
        std::int64_t tet;
        double min_dihedral_deg;
        Vec3 centroid;
    };
    std::vector<Element> worst;               ///< up to ten
    std::vector<double> volume_per_material;  ///< [m^3]
    std::int64_t fault_faces = 0;
    double min_edge_m = 0.0;
    double max_edge_m = 0.0;
};
[[nodiscard]] QualityReport measure_quality(const TetMesh& mesh);

/// Throws ValidationError naming the place of each fault (first ten of each kind): tets with zero
/// or negative volume (with vertex coordinates), ids out of range, faces shared by more than two
/// tets, free faces that are no boundary face (hanging nodes, holes), vertices in no tet, fault
/// faces that are not the face of two tets, non-finite coordinates, materials out of range.
void check_mesh(const TetMesh& mesh, int n_materials);

}  // namespace kaname::mesh
