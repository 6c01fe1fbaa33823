// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/fault_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/generated_faults.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/geometry/mesh_boundaries.hpp"
#include "worker/jobs/geometry/sources/table_sources.hpp"

namespace kaname::jobs {
namespace {

constexpr double kBeside = 0.25;  // distance from the fault at which rock is looked up, in elements

}  // namespace

bool FaultModel::slips_in_viscous_rock(const SourceSet& slip, const mesh::TetMesh&) const {
    return slips_in_viscous_rock(slip);
}

bool FaultModel::slips_in_viscous_rock(const SourceSet& slip) const {
    // Beside the fault, not on it: an interface bounds volumes.
    const VolumeGeometry& volumes = domain_.volumes();
    return slip.any_place([&](const Vec3& x, const Vec3& normal) {
        const Vec3 away = kBeside * job_.mesh.size_at_fault_m * normal;
        return volumes.material(x + away).viscosity_pa_s ||
               volumes.material(x - away).viscosity_pa_s;
    });
}

std::vector<Vec3> FaultModel::stations_in(const mesh::TetMesh& mesh) const {
    std::vector<Vec3> points = domain_.stations();
    const TopHeight top(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::optional<double> height_m = top.at(points[k].x, points[k].y);
        if (height_m && (!job_.stations[k].depth_m || points[k].z > *height_m)) {
            points[k].z = *height_m;
        }
    }
    return points;
}

std::vector<HeldComponent> FaultModel::held(const mesh::TetMesh& /*mesh*/) const {
    std::vector<HeldComponent> held;
    for (int side = 0; side < mesh::kSideCount; ++side) {
        const auto s = static_cast<mesh::Side>(side);
        for (int comp = 0; comp < 3; ++comp) {
            if (job_.boundaries.kind[side] == BoundaryKind::Fixed ||
                job_.boundaries.fixed[side][comp]) {
                held.push_back({s, comp});
            }
        }
        if (job_.boundaries.kind[side] == BoundaryKind::Roller) {
            held.push_back({s, domain_.normal_axis(s)});
        }
    }
    return held;
}

mesh::SurfaceId FaultModel::surface_of(const PrescribedSide& data,
                                       const mesh::TetMesh& /*mesh*/) const {
    return mesh::SurfaceId(data.place);
}

std::unique_ptr<FaultModel> make_fault_model(const GreensJob& job, const Domain& domain,
                                             std::span<const ScenarioModel> models) {
    if (const auto* file = std::get_if<MeshFileFaults>(&job.fault)) {
        return std::make_unique<MeshFileFaultModel>(job, domain, models, *file);
    }
    return std::make_unique<GeneratedFaults>(job, domain, models);
}

namespace {

constexpr double kAlongAxis = 1.0 - 1e-6;  // cosine; 0.08 degrees

meshing::GmshSource source_of(const GreensJob& job, const MeshFileFaults& mesh_file) {
    meshing::GmshRoles roles;
    for (const earth::Material& material : job.structure.materials) {
        roles.materials.push_back(material.name);
    }
    for (const MeshFileFaults::Surface& surface : mesh_file.surfaces) {
        meshing::GmshRoles::Fault fault{surface.name, surface.field};
        if (surface.strike_deg) {
            fault.strike_rad = *surface.strike_deg * kDegree;
        }
        roles.faults.push_back(std::move(fault));
    }
    for (const MeshBoundary& boundary : mesh_file.boundaries) {
        roles.boundaries.push_back({boundary.name, boundary.field});
    }
    roles.top = mesh_file.top;
    roles.length_unit = mesh_file.length_unit;
    return {mesh_file.path, std::move(roles)};
}

mesh::SurfaceId surface_named(const mesh::TetMesh& mesh, const MeshBoundary& boundary) {
    const auto found = std::ranges::find(mesh.surfaces, boundary.name);
    if (found == mesh.surfaces.end()) {
        throw ValidationError(
            {{boundary.field, "must name a surface of the mesh, got '" + boundary.name + "'"}});
    }
    return mesh::SurfaceId(static_cast<std::int32_t>(found - mesh.surfaces.begin()));
}

/// The grid axis that all faces of a surface are normal to.
int roller_axis(const mesh::TetMesh& mesh, mesh::SurfaceId surface, const MeshBoundary& boundary) {
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
                {{boundary.field, "roller must be on a surface that faces one grid axis, but at " +
                                      place_text(mesh.xyz[a]) + " '" + boundary.name +
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
                                       const MeshFileFaults& mesh_file)
    : FaultModel(job, domain),
      models_(models),
      mesh_file_(mesh_file),
      plan_(source_of(job, mesh_file)) {}

std::unique_ptr<SourceSet> MeshFileFaultModel::own_sources() const {
    return std::make_unique<TableSources>(job(), domain(), mesh_file_);
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
    for (const ScenarioModel& model : models_) {
        if (model.moment) {
            const auto place = p2::locate_points(mesh, std::vector<Vec3>{model.moment->at}).front();
            const auto rock =
                static_cast<std::size_t>(mesh.material[static_cast<std::size_t>(place.tet)]);
            if (job().structure.materials[rock].viscosity_pa_s) {
                return true;
            }
        }
    }
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
    for (const MeshBoundary& boundary : mesh_file_.boundaries) {
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

mesh::SurfaceId MeshFileFaultModel::surface_of(const PrescribedSide& data,
                                               const mesh::TetMesh& mesh) const {
    return surface_named(mesh, mesh_file_.boundaries[data.place]);
}

// Checks and describes a mesh file before anything is solved.
namespace {

constexpr double kOnTheMesh_m = 1e-3;

/// Does a part of the check; what it throws are violations. False when it threw.
template <class Check>
bool passes(Survey& survey, const Check& check) {
    constexpr std::string_view kField = "mesh.file";
    try {
        check();
        return true;
    } catch (const ValidationError& error) {
        std::ranges::copy(error.violations(), std::back_inserter(survey.violations));
    } catch (const Error& error) {
        std::string_view message = error.what();
        if (message.starts_with(std::string(kField) + ": ")) {
            message.remove_prefix(kField.size() + 2);
        }
        survey.violations.push_back({std::string(kField), std::string(message)});
    }
    return false;
}

void check_conditions(const GreensJob& job, const JobGeometry& geometry, const mesh::TetMesh& mesh,
                      const p2::DofMap& dofs) {
    comm::SerialComm comm;
    const std::vector<std::int32_t> whole(mesh.tets.size(), 0);
    const p2::LocalMesh local(mesh, dofs, whole, comm);
    const LaneDrive idle;
    const viscoelastic::BoundaryData boundary(mesh, dofs, local,
                                              boundary_conditions(job, geometry, mesh, dofs, idle));
    viscoelastic::require_no_rigid_motion(local, boundary.fixed(), comm);
}

}  // namespace

void MeshFileFaultModel::survey(const JobGeometry& geometry, Survey& survey) const {
    mesh::TetMesh mesh;
    const bool sound = passes(survey, [&] {
        meshing::GmshImport file = plan_.read();
        mesh::check_mesh(file.mesh, static_cast<int>(job().structure.materials.size()));
        mesh = std::move(file.mesh);
        std::ranges::move(file.notes, std::back_inserter(survey.warnings));
    });
    if (!sound) {
        return;  // nothing can be said about a mesh that is none
    }
    survey.slips_in_viscous_rock = slips_in_viscous_rock(geometry.slip(), mesh);
    const p2::DofMap dofs(mesh);
    survey.vertices = std::ssize(mesh.xyz);
    survey.tets = std::ssize(mesh.tets);
    survey.nodes = dofs.n_nodes();
    survey_stations(mesh, survey);
    passes(survey, [&] { check_conditions(job(), geometry, mesh, dofs); });
    fault::SplitNodes split;
    if (passes(survey, [&] { split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz); })) {
        survey_slip(geometry, {mesh, dofs, split}, survey);
    }
}

void MeshFileFaultModel::survey_stations(const mesh::TetMesh& mesh, Survey& survey) const {
    const std::vector<Vec3> points = stations_in(mesh);
    const std::vector<p2::Location> places = p2::locate_points(mesh, points);
    const TopHeight heights(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const Station& station = job().stations[k];
        const Vec3& x = points[k];
        const auto top = heights.at(x.x, x.y);
        const std::string name = "station '" + station.id + "' must ";
        if (!top) {
            survey.violations.push_back(
                {station.field, name + "lie below the surface '" + mesh_file_.top +
                                    "' of the mesh, got x = " + number(x.x) +
                                    " m, y = " + number(x.y) + " m in the model"});
        } else if (x.z > *top + job().output.snap_tolerance_m) {
            survey.violations.push_back(
                {station.field, name + "be at most " + number(job().output.snap_tolerance_m) +
                                    " m above the model's surface, got " + number(x.z - *top)});
        } else if (x.z <= *top && places[k].distance_m > kOnTheMesh_m) {
            survey.violations.push_back({station.field, name + "lie inside the mesh, which is " +
                                                            number(places[k].distance_m) +
                                                            " m away"});
        }
    }
}

void MeshFileFaultModel::survey_slip(const JobGeometry& geometry, const MeshedFault& fault,
                                     Survey& survey) const {
    SegmentNotes segments =
        notes_of_segments(models_, segment_faults(fault.mesh), fault.mesh.faults);
    std::ranges::move(segments.notes, std::back_inserter(survey.notes));
    std::ranges::move(segments.lost, std::back_inserter(survey.warnings));
    for (const ScenarioModel& model : models_) {
        const auto place = [&] {
            return p2::locate_points(fault.mesh, std::vector<Vec3>{model.moment->at}).front();
        };
        if (model.moment && place().distance_m > kOnTheMesh_m) {
            survey.violations.push_back(
                {model.source->field,
                 "must lie inside the mesh, which is " + number(place().distance_m) + " m away"});
        }
    }
    const std::unique_ptr<SlipOnMesh> slip = geometry.slip().on(fault);
    for (const std::string& id : geometry.slip().ids()) {
        passes(survey, [&] {
            (void)slip->slip_of(id);
            std::ranges::move(slip->notes(id), std::back_inserter(survey.warnings));
        });
    }
}

}  // namespace kaname::jobs
