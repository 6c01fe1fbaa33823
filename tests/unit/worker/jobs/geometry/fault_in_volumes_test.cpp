// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "tests/unit/worker/jobs/volumes_job.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::fault_in_volumes_test {
namespace {

std::string all(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        text += violation.field + ": " + violation.message + '\n';
    }
    return text;
}

GreensJob plane_in_volumes(double dip_deg, double top_depth_m) {
    GreensJob job = volumes_job();
    PlaneGeometry plane;
    plane.centre_lon_deg = 135.0;
    plane.centre_lat_deg = 34.0;
    plane.top_depth_m = top_depth_m;
    plane.strike_deg = 20.0;
    plane.dip_deg = dip_deg;
    plane.length_m = 30e3;
    plane.width_m = 18e3;
    job.fault = plane;
    job.patches = test::unit_slip(1, 1, {test::kDipSlip});
    return job;
}

TEST(SetupVolumes, SoundJobHasNoViolationsAndTellsTheModelsNotes) {
    const GreensJob job = volumes_job();
    const JobGeometry geometry(job);

    EXPECT_EQ(all(geometry.check()), "");
    const auto warnings = geometry.warnings();
    EXPECT_EQ(std::ranges::count(warnings, "a surface was extended"), 1);
}

TEST(SetupVolumes, StationsStandOnTheGround) {
    GreensJob job = volumes_job();
    job.stations.push_back({"DEEP", 135.0, 34.0, 3e3, "stations[1]"});
    const JobGeometry geometry(job);

    EXPECT_NEAR(geometry.domain().stations().at(0).z, 1000.0,
                15.0);  // the spline rounds the top off
    EXPECT_EQ(geometry.domain().stations().at(1).z, -3e3);
}

TEST(SetupVolumes, AStationFarAboveTheGroundIsRefusedByItsHeightOverIt) {
    GreensJob job = volumes_job();
    job.output.snap_tolerance_m = 500.0;
    job.stations[0].depth_m = -1400.0;
    EXPECT_EQ(all(JobGeometry(job).check()), "");

    job.stations[0].depth_m = -2000.0;
    const std::string found = all(JobGeometry(job).check());
    EXPECT_NE(found.find("stations[0]: station 'HILL' must be at most 500 m above"),
              std::string::npos)
        << found;
}

TEST(SetupVolumes, TheFaultIsTheSurfaceWithAMarginAroundItsPatches) {
    const GreensJob job = volumes_job();
    const JobGeometry geometry(job);
    const cleaving::FaultRequest& fault = volume_request(geometry).faults.at(0);

    EXPECT_EQ(fault.surface, 2);
    const double half = 0.5 * 6e3;
    double s_min = 1e9, s_max = -1e9, d_min = 1e9, d_max = -1e9;
    for (const Vec3& x : fault.samples) {
        EXPECT_NEAR(x.z, -25e3 - std::tan(15.0 * kDegree) * x.x, 1.0);
        const auto at = patches(geometry).surface->coordinates(x);
        s_min = std::min(s_min, at.s);
        s_max = std::max(s_max, at.s);
        d_min = std::min(d_min, at.d);
        d_max = std::max(d_max, at.d);
        EXPECT_GE(fault.inside_m(x), -1.0);
    }
    // Two hats of 15 km along strike, one down dip, and three sizes on every side.
    EXPECT_NEAR(s_min, -15e3 - 18e3, 1.0);
    EXPECT_NEAR(s_max, 30e3 + 18e3, 1.0);
    EXPECT_NEAR(d_min, -15e3 - 18e3, 20.0);
    EXPECT_NEAR(d_max, 15e3 + 18e3, 20.0);
    EXPECT_NEAR(fault.inside_m(patches(geometry).surface->point({0.0, 0.0})), 33e3, 20.0);
    EXPECT_NEAR(fault.inside_m(patches(geometry).surface->point({45e3, 0.0})), 3e3, 20.0);
    EXPECT_NEAR(fault.inside_m(patches(geometry).surface->point({50e3, 0.0})), -2e3, 20.0);
    EXPECT_NEAR(fault.inside_m(patches(geometry).surface->point({0.0, -36e3})), -3e3, 20.0);
    // No farther apart than half a size: every place of the window is near one of them.
    for (const auto& at : {fault::FaultCoordinates{0.0, 0.0}, {-32e3, 20e3}, {47e3, -32e3}}) {
        const Vec3 x = patches(geometry).surface->point(at);
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3& sample : fault.samples) {
            nearest = std::min(nearest, norm(sample - x));
        }
        EXPECT_LE(nearest, std::sqrt(0.5) * half);
    }
}

TEST(SetupVolumes, SizesGoToTheMesherAsTheyAre) {
    GreensJob job = volumes_job();
    job.mesh.sizes.at_surface_m = 9e3;
    job.mesh.sizes.by_depth = {{20e3, 12e3}};
    EXPECT_EQ(volume_request(JobGeometry(job)).sizes.points.size(), 1u);
    job.mesh.sizes.at_stations_m = 5e3;

    const JobGeometry geometry(job);
    const cleaving::SizeRequest& sizes = volume_request(geometry).sizes;

    EXPECT_EQ(sizes.far_m, 40e3);
    EXPECT_EQ(sizes.growth, 0.5);
    EXPECT_EQ(sizes.at_surface_m, 9e3);
    ASSERT_EQ(sizes.points.size(), 2u);
    EXPECT_EQ(sizes.points[0].size_m, 6e3);
    EXPECT_EQ(sizes.points[1].size_m, 5e3);
    EXPECT_EQ(sizes.points[1].at, geometry.domain().stations());
    EXPECT_EQ(sizes.depths.at(0).depth_m, 20e3);
}

TEST(SetupVolumes, APlaneMayDipGentlyInABoxThatIsNotTurned) {
    GreensJob job = plane_in_volumes(5.0, 10e3);
    job.region.azimuth_deg = 30.0;
    const JobGeometry geometry(job);

    EXPECT_EQ(all(geometry.check()), "");
    EXPECT_NEAR(geometry.domain().box().azimuth_rad, 30.0 * kDegree, 1e-15);
    const cleaving::FaultRequest& fault = volume_request(geometry).faults.at(0);
    EXPECT_EQ(fault.surface, -1);
    EXPECT_NEAR(fault.plane->normal.z, std::cos(5.0 * kDegree), 1e-12);
}

TEST(SetupVolumes, UniformSlipIsThatOfTheRectangle) {
    const GreensJob job = plane_in_volumes(40.0, 6e3);
    const JobGeometry geometry(job);
    const fault::Patch& patch = patches(geometry).sources.at(0).patch;

    for (const double side : {-1.0, 1.0}) {
        EXPECT_EQ(patch.shape({14.9e3 * side, 9e3 + 8.9e3 * side}), 1.0);
        EXPECT_EQ(patch.shape({15.1e3 * side, 9e3}), 0.0);
        EXPECT_EQ(patch.shape({0.0, 9e3 + 9.1e3 * side}), 0.0);
    }
}

TEST(SetupVolumes, APlaneThatBreaksTheSurfaceGoesUpToTheGround) {
    const GreensJob job = plane_in_volumes(60.0, 0.0);
    const JobGeometry geometry(job);
    const cleaving::FaultRequest& fault = volume_request(geometry).faults.at(0);

    EXPECT_EQ(all(geometry.check()), "");
    // 1 km above sea level, the ground of the hill.
    EXPECT_GT(
        fault.inside_m(patches(geometry).surface->point({0.0, -1000.0 / std::sin(60.0 * kDegree)})),
        0.0);
    EXPECT_EQ(patches(geometry).sources.at(0).patch.shape({0.0, -1100.0}), 1.0);
}

TEST(SetupVolumes, PatchesOverTheGroundAreRefused) {
    GreensJob job = volumes_job();
    auto& interface = std::get<InterfaceGeometry>(job.fault);
    // The slab meets the ground 97 km up dip of the middle: half of this hat is in the air.
    interface.spacing_dip_m = 100e3;
    job.patches = test::unit_slip(1, 1, {test::kDipSlip});
    EXPECT_EQ(all(JobGeometry(job).check()), "");

    interface.origin_lon_deg -= 1.2;  // 110 km
    const std::string found = all(JobGeometry(job).check());

    EXPECT_NE(found.find("fault.interface.patches: patch s00d00 must have its middle under the "
                         "ground; at 133.8"),
              std::string::npos)
        << found;
}

TEST(SetupVolumes, ARectangleWhoseUpperEdgeIsOverTheGroundIsRefused) {
    GreensJob job = plane_in_volumes(30.0, 1e3);
    EXPECT_EQ(all(JobGeometry(job).check()), "");

    std::get<PlaneGeometry>(job.fault).top_depth_m = -1200.0;
    const std::string found = all(JobGeometry(job).check());

    EXPECT_NE(found.find("fault.plane: patch s00d00 must lie under the ground"), std::string::npos)
        << found;
}

TEST(SetupVolumes, ARollerOnReliefIsRefused) {
    GreensJob job = volumes_job();
    job.boundaries.kind[5] = BoundaryKind::Roller;
    EXPECT_NE(all(JobGeometry(job).check()).find("boundaries.top: roller must be on a flat"),
              std::string::npos);

    GreensJob flat = volumes_job(/*flat=*/true);
    flat.boundaries.kind[5] = BoundaryKind::Roller;
    EXPECT_EQ(all(JobGeometry(flat).check()), "");
}

TEST(SetupVolumes, SizesBeyondMemoryAreRefusedWithTheirNumbers) {
    const auto refusal = [](const GreensJob& job) -> std::string {
        try {
            (void)JobGeometry(job).estimate_mesh();
        } catch (const ValidationError& error) {
            return error.what();
        }
        return "";
    };
    GreensJob at_fault = volumes_job();
    at_fault.mesh.size_at_fault_m = 1.0;
    GreensJob far = volumes_job();
    far.mesh.size_at_fault_m = far.mesh.size_far_m = 20.0;
    GreensJob near_surface = volumes_job();
    near_surface.mesh.sizes.at_surface_m = 5.0;

    for (const GreensJob& job : {at_fault, far, near_surface}) {
        const std::string found = refusal(job);
        EXPECT_NE(found.find("mesh: the mesh must fit in memory: the sizes come to about "),
                  std::string::npos)
            << found;
        EXPECT_NE(found.find(" GiB while they are made, available are "), std::string::npos);
    }
}

TEST(SetupVolumes, TheMesherIsToldWhichLayersToMerge) {
    GreensJob job = volumes_job();
    job.mesh.sizes.thinnest_layer = 0.3;
    EXPECT_EQ(volume_request(JobGeometry(job)).thinnest, 0.3);
}

TEST(SetupVolumes, MoreElementsThanAllowedAreRefused) {
    GreensJob job = volumes_job();
    job.mesh.sizes.max_elements = 100;

    try {
        (void)JobGeometry(job).build_mesh([](double, const char*) {});
        FAIL() << "not refused";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "mesh.max_elements");
    }
}

TEST(SetupVolumes, TheMeshHasTheFaultAndItsNodesUnderHatsCanSlip) {
    const GreensJob job = volumes_job();
    const JobGeometry geometry(job);

    const mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});

    mesh::check_mesh(mesh, 3);
    EXPECT_EQ(mesh.volumes, (std::vector<std::string>{"slab", "crust", "mantle"}));
    // The slab's top crosses the Moho inside of the fault.
    EXPECT_EQ(fault::report_faults(mesh).at(0).pieces, 1);
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    for (const fault::UnitSource& source : patches(geometry).sources) {
        for (const auto& [node, fault] : split.rim) {
            EXPECT_EQ(
                source.patch.shape(patches(geometry).surface->coordinates(dofs.node_xyz[node])),
                0.0);
        }
    }
    double largest = 0.0;
    for (const auto& [node, fault] : split.split) {
        largest =
            std::max(largest, patches(geometry).sources[0].patch.shape(
                                  patches(geometry).surface->coordinates(dofs.node_xyz[node])));
    }
    EXPECT_GT(largest, 0.7);
}

TEST(SetupVolumes, StationsWithoutDepthAreWhereTheMeshHasTheGround) {
    GreensJob job = volumes_job();
    job.stations.push_back({"ABOVE", 135.1, 34.1, -1500.0, "stations[1]"});
    job.stations.push_back({"UNDER", 135.1, 34.1, 100.0, "stations[2]"});
    const JobGeometry geometry(job);
    const mesh::TetMesh mesh = geometry.build_mesh([](double, const char*) {});

    const std::vector<Vec3> points = geometry.fault().stations_in(mesh);
    const auto places = p2::locate_points(mesh, points);

    EXPECT_NEAR(points[0].z, 1000.0, 300.0);  // elements of 20 km and more
    for (int k = 0; k < 3; ++k) {
        EXPECT_LT(places[k].distance_m, 1e-3) << k;
        EXPECT_NEAR(points[k].x, geometry.domain().stations()[k].x, 1e-9);
    }
    EXPECT_EQ(points[2].z, -100.0);
}

}  // namespace
}  // namespace kaname::jobs::fault_in_volumes_test

#endif
