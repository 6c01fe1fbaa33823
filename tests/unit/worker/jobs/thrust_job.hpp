// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "solvers/earth/material_rules.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/p2/dof_map.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"

namespace kaname::jobs {

/// One rectangle of 100 x 60 km that strikes to 295 degrees, in a crust of 60 km over a mantle.
inline GreensJob thrust_job(double top_m, double dip_deg, double size_m) {
    auto model = std::make_shared<earth::VolumeModel>();
    model->size_u_m = model->size_v_m = 600e3;
    model->depth_m = 200e3;
    model->surfaces = {{"ground", earth::HeightField(0.0)}, {"moho", earth::HeightField(-60e3)}};
    model->materials = {{"crust", 3e10, 3e10, 0.0, std::nullopt},
                        {"mantle", 6e10, 6e10, 0.0, 6e18}};
    model->volumes = {{"crust", -1, 1, earth::constant_rule(0)},
                      {"mantle", -1, -1, earth::constant_rule(1)}};
    GreensJob job = test::bare_job();
    job.name = "thrust";
    job.region = {85.0, 28.0, 600e3, 600e3, 200e3, 0.0};
    job.structure.materials = model->materials;
    job.volumes.emplace();
    job.volume_model =
        std::make_shared<const earth::BuiltVolumeModel>(earth::BuiltVolumeModel{model, {}});
    PlaneGeometry plane;
    plane.centre_lon_deg = 85.0;
    plane.centre_lat_deg = 28.0;
    plane.top_depth_m = top_m;
    plane.strike_deg = 295.0;
    plane.dip_deg = dip_deg;
    plane.length_m = 100e3;
    plane.width_m = 60e3;
    job.fault = plane;
    job.patches = test::unit_slip(1, 1, {test::kDipSlip});
    job.mesh.size_at_fault_m = size_m;
    job.mesh.size_far_m = 60e3;
    job.mesh.growth = 0.3;
    for (BoundaryKind& kind : job.boundaries.kind) {
        kind = BoundaryKind::Fixed;
    }
    job.boundaries.kind[static_cast<int>(mesh::Side::Top)] = BoundaryKind::Free;
    job.time.end_s = 1e9;
    return job;
}

struct SoundFault {
    MeshReport report;
    double least_peak_m =
        0.0;  ///< largest slip that a source asks of a node, the least over all sources
};

/// Meshes a job with one fault as a solve does, and expects that the mesh is sound, the fault in
/// one piece, its angles as those of other meshes, and that all that slips can.
inline SoundFault expect_sound_fault(const JobGeometry& geometry) {
    for (const Violation& violation : geometry.check()) {
        ADD_FAILURE() << violation.field << ": " << violation.message;
    }
    const mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});
    const mesh::FaceSet faces =
        mesh::check_mesh(mesh, static_cast<int>(volume_request(geometry).model->materials.size()));
    SoundFault result{geometry.fault().mesh_plan().report(mesh, faces)};
    const mesh::QualityReport& quality = result.report.quality;
    EXPECT_TRUE(quality.connectivity.watertight());
    EXPECT_GE(quality.min_dihedral_deg, 8.0);
    EXPECT_LE(quality.max_dihedral_deg, 168.0);
    EXPECT_EQ(result.report.faults.at(0).pieces, 1);
    EXPECT_EQ(result.report.faults.at(0).orphan_nodes, 0);
    EXPECT_EQ(result.report.faults.at(0).stuck_faces, 0);
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    const auto slip = geometry.slip().on({mesh, dofs, split});
    result.least_peak_m = 1e9;
    for (const fault::UnitSource& source : patches(geometry).sources) {
        double peak = 0.0;
        (void)slip->slip_of(source.id);  // throws where the rim would slip
        for (const fault::FaultNode& at : split.split) {
            peak = std::max(
                peak,
                source.patch.shape(patches(geometry).surface->coordinates(dofs.node_xyz[at.node])));
        }
        result.least_peak_m = std::min(result.least_peak_m, peak);
    }
    return result;
}

}  // namespace kaname::jobs
