// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/mesh_file_fault.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/geometry/table_sources.hpp"
#include "solvers/jobs/geometry/top_height.hpp"

namespace kaname::jobs {
namespace {

constexpr double kAlongAxis = 1.0 - 1e-6;  // cosine; 0.08 degrees

meshing::GmshSource source_of(const GreensJob& job, const MeshFileSpec& spec) {
    meshing::GmshRoles roles;
    for (const earth::Material& material : job.structure.materials) {
        roles.materials.push_back(material.name);
    }
    for (const MeshFileSpec::Surface& surface : spec.surfaces) {
        meshing::GmshRoles::Fault fault{surface.name, surface.field};
        if (surface.strike_deg) {
            fault.strike_rad = *surface.strike_deg * kDegree;
        }
        roles.faults.push_back(std::move(fault));
    }
    for (const MeshBoundarySpec& boundary : spec.boundaries) {
        roles.boundaries.push_back({boundary.name, boundary.field});
    }
    roles.top = spec.top;
    roles.length_unit = spec.length_unit;
    return {spec.path, std::move(roles)};
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
                                  place_text(mesh.xyz[a]) + " '" + spec.name +
                                  "' does not; use fixed: [east, ...]"}});
        }
    }
    return axis;
}

std::array<std::int32_t, 3> sorted(std::array<std::int32_t, 3> face) {
    std::ranges::sort(face);
    return face;
}

}  // namespace

MeshFileFaultModel::MeshFileFaultModel(const GreensJob& job, const Domain& domain,
                                       std::span<const ScenarioModel> models,
                                       const MeshFileSpec& spec)
    : FaultModel(job, domain), models_(models), spec_(spec), plan_(source_of(job, spec)) {}

std::unique_ptr<SourceSet> MeshFileFaultModel::own_sources() const {
    return std::make_unique<TableSources>(job(), domain(), spec_);
}

std::vector<std::vector<SegmentFault>> MeshFileFaultModel::segment_faults(
    const mesh::TetMesh& mesh) const {
    const DistanceToFault distance = distance_in_mesh(mesh);
    std::vector<std::vector<SegmentFault>> segments;
    for (const ScenarioModel& model : models_) {
        segments.push_back(
            segments_on_faults(model, static_cast<int>(mesh.faults.size()), distance));
    }
    return segments;
}

bool MeshFileFaultModel::slips_in_viscous_rock(const SourceSet& /*slip*/,
                                               const mesh::TetMesh& mesh) const {
    std::set<std::array<std::int32_t, 3>> faces;
    for (const auto& face : mesh.fault_faces) {
        faces.insert(sorted(face.vertices));
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        if (!job().structure.materials[mesh.material[tet]].viscosity_pa_s) {
            continue;
        }
        for (int skipped = 0; skipped < 4; ++skipped) {
            std::array<std::int32_t, 3> face{};
            for (int k = 0; k < 3; ++k) {
                face[k] = mesh.tets[tet][(skipped + 1 + k) % 4];
            }
            if (faces.contains(sorted(face))) {
                return true;
            }
        }
    }
    return false;
}

std::vector<Vec3> MeshFileFaultModel::stations_in(const mesh::TetMesh& mesh) const {
    std::vector<Vec3> points = domain().stations();
    const TopHeight top(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::optional<double> height_m = top.at(points[k].x, points[k].y);
        if (height_m && !job().stations[k].depth_m) {
            points[k].z = *height_m;
        }
    }
    return points;
}

std::vector<HeldComponent> MeshFileFaultModel::held(const mesh::TetMesh& mesh) const {
    std::vector<HeldComponent> held;
    for (const MeshBoundarySpec& boundary : spec_.boundaries) {
        const mesh::SurfaceId surface = surface_named(mesh, boundary);
        for (int comp = 0; comp < 3; ++comp) {
            if (boundary.fixed[comp]) {
                held.push_back({surface, comp});
            }
        }
        if (boundary.roller) {
            held.push_back({surface, roller_axis(mesh, surface, boundary)});
        }
    }
    return held;
}

mesh::SurfaceId MeshFileFaultModel::surface_of(const BoundaryDataSpec& data,
                                               const mesh::TetMesh& mesh) const {
    return surface_named(mesh, spec_.boundaries[data.place]);
}

}  // namespace kaname::jobs
