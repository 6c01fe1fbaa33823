// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/mesh_file_preflight.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/fem/locate.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/registry/element_choice.hpp"
#include "solvers/registry/mesh_boundaries.hpp"
#include "solvers/registry/scenario_sources.hpp"
#include "solvers/registry/station_points.hpp"
#include "solvers/registry/table_sources.hpp"
#include "solvers/registry/top_height.hpp"

namespace kaname::registry {
namespace {

constexpr double kOnTheMesh_m = 1e-3;

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

void append(const ValidationError& error, Preflight& result) {
    result.violations.insert(result.violations.end(), error.violations().begin(),
                             error.violations().end());
}

/// Does a part of the check; what it throws are violations. False when it threw.
template <class Check>
bool passes(Preflight& result, const Check& check) {
    constexpr std::string_view kField = "mesh.file";
    try {
        check();
        return true;
    } catch (const ValidationError& error) {
        append(error, result);
    } catch (const Error& error) {
        std::string_view message = error.what();
        if (message.starts_with(std::string(kField) + ": ")) {
            message.remove_prefix(kField.size() + 2);
        }
        result.violations.push_back({std::string(kField), std::string(message)});
    }
    return false;
}

void check_stations(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                    Preflight& result) {
    const std::vector<Vec3> points = station_points(job, setup, mesh);
    const std::vector<fem::Location> places = fem::locate_points(mesh, points);
    const TopHeight heights(mesh);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const StationSpec& station = job.stations[k];
        const Vec3& x = points[k];
        const auto top = heights.at(x.x, x.y);
        const std::string name = "station '" + station.id + "' must ";
        if (!top) {
            result.violations.push_back(
                {station.field, name + "lie below the surface '" + setup.mesh_file()->top +
                                    "' of the mesh, got x = " + number(x.x) +
                                    " m, y = " + number(x.y) + " m in the model"});
        } else if (x.z > *top + job.snap_tolerance_m) {
            result.violations.push_back(
                {station.field, name + "be at most " + number(job.snap_tolerance_m) +
                                    " m above the model's surface, got " + number(x.z - *top)});
        } else if (x.z <= *top && places[k].distance_m > kOnTheMesh_m) {
            result.violations.push_back({station.field, name + "lie inside the mesh, which is " +
                                                            number(places[k].distance_m) +
                                                            " m away"});
        }
    }
}

void check_conditions(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                      const fem::DofMap& dofs) {
    comm::SerialComm comm;
    const std::vector<std::int32_t> whole(mesh.tets.size(), 0);
    const fem::LocalMesh local(mesh, dofs, whole, comm);
    const LaneDrive idle;
    const viscoelastic::BoundaryData boundary(mesh, dofs, local,
                                              boundary_conditions(job, setup, mesh, dofs, idle));
    viscoelastic::require_no_rigid_motion(local, boundary.fixed(), comm);
}

}  // namespace

viscoelastic::Element check_mesh_file(const GreensJob& job, const Setup& setup, Preflight& result) {
    mesh::TetMesh mesh;
    const bool sound = passes(result, [&] {
        meshing::GmshImport file = setup.gmsh().read();
        mesh::check_mesh(file.mesh, static_cast<int>(job.structure.materials.size()));
        mesh = std::move(file.mesh);
        result.warnings.insert(result.warnings.end(), file.notes.begin(), file.notes.end());
    });
    if (!sound) {
        return viscoelastic::Element::P2;  // nothing can be said about a mesh that is none
    }
    const viscoelastic::Element element = element_of(job, setup, mesh);
    const fem::DofMap dofs(mesh);
    result.vertices = std::ssize(mesh.xyz);
    result.tets = std::ssize(mesh.tets);
    result.dof = 3 * dofs.n_nodes();
    check_stations(job, setup, mesh, result);
    passes(result, [&] { check_conditions(job, setup, mesh, dofs); });
    sources::SplitNodes split;
    if (!passes(result,
                [&] { split = sources::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz); })) {
        return element;
    }
    if (job.scenario) {
        const ScenarioSources scenario(job, setup, mesh, dofs, split);
        SegmentNotes segments = notes_of_segments(setup.models(), scenario.segments(), mesh.faults);
        std::ranges::move(segments.notes, std::back_inserter(result.notes));
        std::ranges::move(segments.lost, std::back_inserter(result.warnings));
        for (const std::string& id : setup.slip_source_ids()) {
            passes(result, [&] { (void)scenario.slip_of(id); });
        }
        return element;
    }
    const TableSources tables(job, setup, mesh, dofs, split);
    for (const std::string& id : setup.slip_source_ids()) {
        passes(result, [&] {
            (void)tables.slip_of(id);
            for (const std::string& note : tables.notes(id)) {
                result.warnings.push_back(note);
            }
        });
    }
    return element;
}

}  // namespace kaname::registry
