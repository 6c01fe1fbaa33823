// SPDX-License-Identifier: BSD-3-Clause
// Checks and describes a mesh file before anything is solved.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "solvers/base/text.hpp"
#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/jobs/geometry/job_geometry.hpp"
#include "solvers/jobs/geometry/mesh_boundaries.hpp"
#include "solvers/jobs/geometry/mesh_file_fault.hpp"
#include "solvers/jobs/geometry/top_height.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::jobs {
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
        const StationSpec& station = job().stations[k];
        const Vec3& x = points[k];
        const auto top = heights.at(x.x, x.y);
        const std::string name = "station '" + station.id + "' must ";
        if (!top) {
            survey.violations.push_back(
                {station.field, name + "lie below the surface '" + spec_.top +
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
    const std::unique_ptr<SlipOnMesh> slip = geometry.slip().on(fault);
    for (const std::string& id : geometry.slip().ids()) {
        passes(survey, [&] {
            (void)slip->slip_of(id);
            std::ranges::move(slip->notes(id), std::back_inserter(survey.warnings));
        });
    }
}

}  // namespace kaname::jobs
