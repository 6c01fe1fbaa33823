// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/mesh_boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kaname::registry {
namespace {

using viscoelastic::BoundaryCondition;

constexpr double kAlongAxis = 1.0 - 1e-6;  // cosine; 0.08 degrees

std::string place(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

mesh::SurfaceId surface_named(const mesh::TetMesh& mesh, const MeshBoundarySpec& spec) {
    const auto found = std::ranges::find(mesh.surfaces, spec.name);
    if (found == mesh.surfaces.end()) {
        throw ValidationError(
            {{spec.field, "must name a surface of the mesh, got '" + spec.name + "'"}});
    }
    return mesh::SurfaceId(static_cast<std::int32_t>(found - mesh.surfaces.begin()));
}

/// The grid axis that all faces of a surface are normal to.
int roller_axis(const mesh::TetMesh& mesh, mesh::SurfaceId surface, const MeshBoundarySpec& spec) {
    int axis = -1;
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (!(face.side == surface)) {
            continue;
        }
        const auto& [a, b, c] = face.vertices;
        const Vec3 n = normalized(cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]));
        for (int comp = 0; comp < 3 && axis < 0; ++comp) {
            axis = std::abs(n[comp]) >= kAlongAxis ? comp : -1;
        }
        if (axis < 0 || std::abs(n[axis]) < kAlongAxis) {
            throw ValidationError(
                {{spec.field, "roller must be on a surface that faces one grid axis, but at " +
                                  place(mesh.xyz[a]) + " '" + spec.name +
                                  "' does not; use fixed: [east, ...]"}});
        }
    }
    return axis;
}

std::vector<BoundaryCondition> on_surfaces(const MeshFileSpec& spec, const mesh::TetMesh& mesh) {
    std::vector<BoundaryCondition> conditions;
    for (const MeshBoundarySpec& boundary : spec.boundaries) {
        const mesh::SurfaceId surface = surface_named(mesh, boundary);
        for (int comp = 0; comp < 3; ++comp) {
            if (boundary.fixed[comp]) {
                conditions.push_back({surface, comp});
            }
        }
        if (boundary.roller) {
            conditions.push_back({surface, roller_axis(mesh, surface, boundary)});
        }
    }
    return conditions;
}

}  // namespace

std::vector<BoundaryCondition> boundary_conditions(const GreensJob& job, const Setup& setup,
                                                   const mesh::TetMesh& mesh) {
    if (setup.mesh_file() != nullptr) {
        return on_surfaces(*setup.mesh_file(), mesh);
    }
    std::vector<BoundaryCondition> conditions;
    for (int side = 0; side < mesh::kSideCount; ++side) {
        const auto s = static_cast<mesh::Side>(side);
        if (job.boundary[side] == BoundaryKind::Fixed) {
            for (int comp = 0; comp < 3; ++comp) {
                conditions.push_back({s, comp});
            }
        } else if (job.boundary[side] == BoundaryKind::Roller) {
            conditions.push_back({s, setup.normal_axis(s)});
        }
    }
    return conditions;
}

}  // namespace kaname::registry
