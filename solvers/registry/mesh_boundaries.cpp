// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/mesh_boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "solvers/meshing/box_frame.hpp"
#include "solvers/registry/side_values.hpp"

namespace kaname::registry {
namespace {

using viscoelastic::BoundaryCondition;

constexpr const char* kComponents[3] = {"east", "north", "up"};
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

std::vector<BoundaryCondition> on_sides(const GreensJob& job, const Setup& setup) {
    std::vector<BoundaryCondition> conditions;
    for (int side = 0; side < mesh::kSideCount; ++side) {
        const auto s = static_cast<mesh::Side>(side);
        for (int comp = 0; comp < 3; ++comp) {
            if (job.boundary[side] == BoundaryKind::Fixed || job.side_fixed[side][comp]) {
                conditions.push_back({s, comp});
            }
        }
        if (job.boundary[side] == BoundaryKind::Roller) {
            conditions.push_back({s, setup.normal_axis(s)});
        }
    }
    return conditions;
}

Violation held_already(const BoundaryDataSpec& data, int comp) {
    return {data.field, std::string("must not name ") + kComponents[comp] +
                            ": it is held by the roller or fixed component of '" + data.name + "'"};
}

}  // namespace

std::vector<BoundaryCondition> boundary_conditions(const GreensJob& job, const Setup& setup,
                                                   const mesh::TetMesh& mesh,
                                                   const fem::DofMap& dofs,
                                                   const LaneDrive& drive) {
    const MeshFileSpec* file = setup.mesh_file();
    std::vector<BoundaryCondition> conditions =
        file != nullptr ? on_surfaces(*file, mesh) : on_sides(job, setup);
    const std::size_t n_held = conditions.size();
    for (const BoundaryDataSpec& data : job.boundary_data) {
        const mesh::SurfaceId surface = file != nullptr
                                            ? surface_named(mesh, file->boundaries[data.place])
                                            : mesh::SurfaceId(data.place);
        const auto values = std::make_shared<const SideValues>(data, setup, mesh, dofs, surface);
        for (int comp = 0; comp < 3; ++comp) {
            if (!data.given[comp]) {
                continue;
            }
            for (std::size_t k = 0; k < n_held; ++k) {
                if (conditions[k].side == surface && conditions[k].component == comp) {
                    throw ValidationError({held_already(data, comp)});
                }
            }
            const auto value = [values, comp, source = data.source, &drive](
                                   const Vec3& x, double /*t_s*/, int lane) {
                return drive.source[lane] == source ? values->at(x)[comp] : 0.0;
            };
            using Kind = BoundaryCondition::Kind;
            conditions.push_back(
                {surface, comp, data.traction ? Kind::Traction : Kind::Prescribed, value});
        }
    }
    return conditions;
}

void check_side_data(const GreensJob& job, const Setup& setup, std::vector<Violation>& violations) {
    const meshing::Box& box = setup.box();
    const meshing::BoxFrame frame(box.azimuth_rad);
    for (const BoundaryDataSpec& data : job.boundary_data) {
        const auto side = static_cast<mesh::Side>(data.place);
        const int axis = setup.normal_axis(side);
        if (job.boundary[data.place] == BoundaryKind::Roller && axis >= 0 && data.given[axis]) {
            violations.push_back(held_already(data, axis));
        }
        if (data.path.empty()) {
            continue;
        }
        // A side is a rectangle (but for relief) and a table's hull convex: the corners tell.
        const double a = 0.5 * box.size_north_m;
        const double b = 0.5 * box.size_east_m;
        std::vector<Vec3> corners;
        for (int corner = 0; corner < 8; ++corner) {
            const bool north = (corner & 1) != 0, east = (corner & 2) != 0, top = (corner & 4) != 0;
            const bool on[mesh::kSideCount] = {!east, east, !north, north, !top, top};
            if (on[data.place]) {
                Vec3 corner_at = frame.to_map(north ? a : -a, east ? b : -b, -box.depth_m);
                if (top) {
                    corner_at.z = setup.ground_m(corner_at.x, corner_at.y);
                }
                corners.push_back(corner_at);
            }
        }
        const Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
        try {
            SideData field(data, setup, corners[0], normal);
            for (const Vec3& corner : corners) {
                (void)field.at(corner);
            }
        } catch (const ValidationError& error) {
            violations.insert(violations.end(), error.violations().begin(),
                              error.violations().end());
        }
    }
}

}  // namespace kaname::registry
