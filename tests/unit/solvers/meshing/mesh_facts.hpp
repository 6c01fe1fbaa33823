// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/earth/structure.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::meshing {

inline double total_volume(const mesh::TetMesh& mesh) {
    double sum = 0.0;
    for (const auto& t : mesh.tets) {
        sum += det6(mesh.xyz[t[0]], mesh.xyz[t[1]], mesh.xyz[t[2]], mesh.xyz[t[3]]) / 6;
    }
    return sum;
}

/// Area times right-hand normal.
inline Vec3 area_vector(const mesh::TetMesh& mesh, const std::array<std::int32_t, 3>& face) {
    const Vec3& a = mesh.xyz[face[0]];
    return 0.5 * cross(mesh.xyz[face[1]] - a, mesh.xyz[face[2]] - a);
}

inline double fault_area(const mesh::TetMesh& mesh) {
    double sum = 0.0;
    for (const auto& face : mesh.fault_faces) {
        sum += norm(area_vector(mesh, face.vertices));
    }
    return sum;
}

inline Vec3 centroid(const mesh::TetMesh& mesh, const std::array<std::int32_t, 4>& t) {
    return 0.25 * (mesh.xyz[t[0]] + mesh.xyz[t[1]] + mesh.xyz[t[2]] + mesh.xyz[t[3]]);
}

inline earth::Material rock(const char* name) {
    earth::Material material;
    material.name = name;
    material.lambda_pa = 3e10;
    material.mu_pa = 3e10;
    return material;
}

inline earth::LayeredStructure homogeneous() {
    earth::LayeredStructure structure;
    structure.materials = {rock("rock")};
    structure.layers = {{0, std::nullopt}};
    return structure;
}

}  // namespace kaname::meshing
