// SPDX-License-Identifier: BSD-3-Clause
// Scenarios whose slip models lie in several planes, or that name several faults; unit slip on the
// patches of several.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::several_faults_test {
namespace {

constexpr double kLambda_pa = 3e10, kMu_pa = 3e10;

/// n x m patches of 4 x 4 km about a centre (x, y, depth) on the map, slip 1 m in the middle ones.
std::vector<slip_model::SlipPatch> plane_of_patches(const earth::Projection& projection, double x,
                                                    double y, double depth_m, double strike_deg,
                                                    double dip_deg, double rake_deg, int n, int m) {
    constexpr double kPatch_m = 4e3;
    slip_model::PlacedPatch plane;
    plane.strike_rad = strike_deg * kDegree;
    plane.dip_rad = dip_deg * kDegree;
    std::vector<slip_model::SlipPatch> patches;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            const Vec3 at = Vec3{x, y, -depth_m} +
                            (i - 0.5 * (n - 1)) * kPatch_m * plane.along_strike() +
                            (j - 0.5 * (m - 1)) * kPatch_m * plane.down_dip();
            const earth::LonLat place = projection.inverse({at.x, at.y});
            slip_model::SlipPatch patch;
            patch.lon_deg = place.lon_deg;
            patch.lat_deg = place.lat_deg;
            patch.depth_m = -at.z;
            patch.length_m = patch.width_m = kPatch_m;
            patch.strike_deg = strike_deg - projection.convergence(place) / kDegree;
            patch.dip_deg = dip_deg;
            patch.rake_deg = rake_deg;
            patch.slip_m = 1.0;
            patches.push_back(patch);
        }
    }
    return patches;
}

void append(std::vector<slip_model::SlipPatch>& to,
            const std::vector<slip_model::SlipPatch>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Displacement of all segments, each bilinear between its patches: as many small dislocations.
Vec3 dislocations(const slip_model::PlacedModel& placed, const Vec3& station) {
    constexpr int kCells = 4;  // per patch
    const auto medium = test::okada_medium(kLambda_pa, kMu_pa);
    Vec3 sum;
    for (int segment = 0; segment < std::ssize(placed.segments); ++segment) {
        slip_model::PlacedModel one{{}, placed.segments};
        std::ranges::copy_if(placed.patches, std::back_inserter(one.patches),
                             [&](const auto& patch) { return patch.segment == segment; });
        const slip_model::SlipSampler sampler(one, {});
        const auto grid = sampler.grids()[static_cast<std::size_t>(segment)];
        const slip_model::PlacedPatch& first = one.patches.front();
        const double cell = first.length_m / kCells;
        for (int v = -2 * kCells; v < (grid.n_dip + 2) * kCells; ++v) {
            for (int u = -2 * kCells; u < (grid.n_strike + 2) * kCells; ++u) {
                const Vec3 top = first.centre + ((u + 0.5) * cell) * first.along_strike() +
                                 (v * cell) * first.down_dip();
                const Vec3 slip = sampler.slip_at(top + 0.5 * cell * first.down_dip());
                if (norm(slip) > 0.0) {
                    sum += test::okada_displacement(
                        {top, first.strike_rad, std::min(first.dip_rad, M_PI / 2), cell, cell},
                        {dot(slip, first.along_strike()), -dot(slip, first.down_dip()), 0.0},
                        medium, station);
                }
            }
        }
    }
    return sum;
}

/// An elastic half-space with three planes in one model: two that cross at 60 degrees, and one
/// that goes on from the first, turned by 30.
class SeveralFaults : public testing::Test {
protected:
    SeveralFaults() {
        device::set_threads(1);
        job.region = {115.5, 32.3, 600e3, 600e3, 300e3, 0.0};
        job.structure.materials = {{"rock", kLambda_pa, kMu_pa, 0.0, std::nullopt}};
        job.structure.layers = {{0, std::nullopt}};
        job.fault = PlaneOfSlipModel{};
        job.mesh.size_at_fault_m = 4e3;
        job.mesh.size_far_m = 120e3;
        job.mesh.growth = 0.5;
        job.solver.tolerance = 1e-8;
        job.placement.device = DeviceChoice::Cpu;
        for (BoundaryKind& kind : job.boundaries.kind) {
            kind = BoundaryKind::Fixed;
        }
        job.boundaries.kind[static_cast<int>(mesh::Side::Top)] = BoundaryKind::Free;
        job.scenario.emplace();
        job.scenario->total_id = "total";
        SlipModelSource model;
        model.id = "shock";
        model.field = "events[0].patches";
        model.interpolation = slip_model::Interpolation::Bilinear;
        model.patches = plane_of_patches(projection, 0, 0, 12e3, 0, 80, 180, 5, 3);
        append(model.patches, plane_of_patches(projection, 0, 0, 12e3, 60, 90, 0, 5, 3));
        append(model.patches, plane_of_patches(projection, 6e3, 22e3, 12e3, 30, 60, 90, 4, 3));
        job.scenario->models = {model};
        job.scenario->events.resize(1);
        job.scenario->events[0].name = "shock";
    }
    SlipModelSource& model() { return job.scenario->models[0]; }
    void build() { build_volumes(job); }
    /// The dataset, and what packaging it warns of.
    std::pair<io::GreensDataset, std::vector<std::string>> run() {
        const TemporaryFolder folder;
        const std::string mesh = (folder.path() / "mesh.h5").string();
        const std::string file = (folder.path() / "greens.h5").string();
        const Stages& stages = stages_of(job);
        comm::SerialComm comm;
        stages.mesh(job, mesh, [](double, const std::string&) {});
        (void)test::solve_all(stages, job, mesh, folder.path().string(), comm);
        const PackageSummary summary = stages.package(
            job, mesh, stages.find_results(job, folder.path().string()), false, file);
        return {io::read_greens_dataset(file), summary.warnings};
    }
    static PlaneGeometry main_plane() {
        PlaneGeometry plane;
        plane.centre_lon_deg = 115.5;
        plane.centre_lat_deg = 32.3;
        plane.top_depth_m = 2e3;
        plane.dip_deg = 80.0;
        plane.length_m = 40e3;
        plane.width_m = 20e3;
        return plane;
    }

    GreensJob job = test::bare_job();
    earth::Projection projection{{115.5, 32.3}};
    [[nodiscard]] std::vector<ScenarioModel> models(const JobGeometry& geometry) const {
        return read_models(*job.scenario, geometry.domain().optional_projection());
    }
};

TEST_F(SeveralFaults, EachPlaneOfTheModelIsAFaultThatTakesItsSegment) {
    build();
    const JobGeometry geometry(job);

    EXPECT_EQ(fault_names(geometry), (std::vector<std::string>{"plane-1", "plane-2", "plane-3"}));
    ASSERT_EQ(segment_faults(geometry).size(), 1u);
    ASSERT_EQ(segment_faults(geometry)[0].size(), 3u);
    for (int segment = 0; segment < 3; ++segment) {
        EXPECT_EQ(segment_faults(geometry)[0][segment].fault, segment);
    }
    const auto mesh = geometry.build_mesh({});
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    const SlipOnMesh::Taken taken = geometry.slip().on({mesh, dofs, split})->taken("shock");
    EXPECT_NEAR(taken.potency_m3 / taken.given_potency_m3, 1.0, 0.06);
    EXPECT_NEAR(taken.max_slip_m, 1.0, 1e-9);
}

TEST_F(SeveralFaults, ElementsLargerThanPatchesAreWarnedOf) {
    build();
    EXPECT_TRUE(JobGeometry(job).warnings().empty());

    job.mesh.size_at_fault_m = 5e3;
    const std::vector<std::string> warnings = JobGeometry(job).warnings();

    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].starts_with(
        "mesh.size_at_fault: elements of 5 km are larger than patches of event 'shock', 4 km"))
        << warnings[0];
}

TEST_F(SeveralFaults, CrossingFaultsMoveTheGroundAsTheSumOfDislocations) {
    job.mesh.size_at_fault_m = 2.5e3;
    build();
    for (int k = 0; k < 12; ++k) {
        Station station;
        station.id = std::to_string(k);
        const double angle = 30.0 * k * kDegree, r = k % 2 == 0 ? 15e3 : 40e3;
        const earth::LonLat at =
            projection.inverse({r * std::sin(angle), 8e3 + r * std::cos(angle)});
        station.lon_deg = at.lon_deg;
        station.lat_deg = at.lat_deg;
        job.stations.push_back(station);
    }
    const auto [found, warnings] = run();

    const JobGeometry geometry(job);
    EXPECT_TRUE(warnings.empty()) << warnings[0];
    double largest = 0.0, worst = 0.0;
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        const Vec3 expected =
            dislocations(models(geometry)[0].placed, geometry.domain().stations()[k]);
        const double* u = found.greens.data() + 3 * k;  // displacement by all events
        largest = std::max(largest, norm(expected));
        worst = std::max(worst, norm(Vec3{u[0], u[1], u[2]} - expected));
    }
    RecordProperty("worst_percent", std::to_string(100.0 * worst / largest));
    EXPECT_GT(largest, 0.05);
    EXPECT_LT(worst, 0.01 * largest) << worst << " of " << largest;
}

TEST_F(SeveralFaults, NamedFaultsTakeTheSegmentsThatLieNearestToThem) {
    FaultsInOneMesh several;
    PlaneGeometry plane = main_plane();
    plane.strike_deg = 60.0;
    plane.dip_deg = 90.0;
    several.faults.push_back({"cross", "fault.several[0]", plane});
    plane.strike_deg = 0.0;
    plane.dip_deg = 80.0;
    several.faults.push_back({"main", "fault.several[1]", plane});
    job.fault = several;
    model().max_distance_m = 3e3;
    build();
    const JobGeometry geometry(job);

    const std::vector<SegmentFault> taken = segment_faults(geometry).at(0);

    EXPECT_EQ(fault_names(geometry), (std::vector<std::string>{"cross", "main"}));
    EXPECT_EQ(taken[0].fault, 1);
    EXPECT_EQ(taken[1].fault, 0);
    EXPECT_LT(taken[1].farthest_m, 100.0);
    EXPECT_GT(taken[2].farthest_m, 5e3) << "the third plane has no fault of its own";
    const SegmentNotes told =
        notes_of_segments(models(geometry), segment_faults(geometry), fault_names(geometry));
    ASSERT_EQ(told.notes.size(), 3u);
    EXPECT_EQ(told.notes[1].find("events[0].patches: segment 2 slips on fault 'cross', at most "),
              0u)
        << told.notes[1];
    ASSERT_EQ(told.lost.size(), 1u);
    EXPECT_NE(told.lost[0].find("% of its potency lie farther from the fault than max_distance"),
              std::string::npos)
        << told.lost[0];
}

TEST_F(SeveralFaults, AModelWhoseSlipLiesOffItsFaultIsRefusedBeforeTheMesh) {
    PlaneGeometry plane = main_plane();
    plane.centre_lon_deg += 0.2;
    job.fault = plane;
    model().max_distance_m = 1e3;
    build();
    const JobGeometry geometry(job);

    Survey survey;
    geometry.survey(survey);

    ASSERT_FALSE(survey.violations.empty());
    EXPECT_EQ(survey.violations.front().field, "events[0].patches");
    EXPECT_EQ(survey.violations.front().message.find("must slip on the fault: all patches that "
                                                     "slip lie farther from it than max_distance"),
              0u)
        << survey.violations.front().message;
}

TEST_F(SeveralFaults, AFaultThatTakesMuchLessThanItsModelIsToldWhenItIsPackaged) {
    job.fault = main_plane();
    model().patches.resize(30);  // the plane that crosses has no fault
    model().max_distance_m = 1e3;
    job.stations = {{"S", 115.7, 32.3, std::nullopt, "stations[0]"}};
    build();

    const auto [found, warnings] = run();

    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].find("event shock: the fault took 0."), 0u) << warnings[0];
    EXPECT_LT(found.events.at(0).potency_ratio, 0.7);
}

TEST_F(SeveralFaults, APlaneFollowsThePatchesNotTheStrikeThatTheyState) {
    model().patches = plane_of_patches(projection, 0, 0, 12e3, 40, 50, 90, 20, 4);
    for (slip_model::SlipPatch& patch : model().patches) {
        patch.strike_deg += 3.0;  // as rounded, or as of another place
        patch.dip_deg -= 1.0;
    }
    build();
    const JobGeometry geometry(job);

    EXPECT_EQ(fault_names(geometry).size(), 1u);
    EXPECT_LT(segment_faults(geometry)[0][0].farthest_m, 60.0)
        << "stated, the last patches would lie 1.5 km off";
    const Vec3 normal = volume_request(geometry).faults[0].plane->normal;
    const Vec3 expected = [] {
        slip_model::PlacedPatch plane;
        plane.strike_rad = 40.0 * kDegree;
        plane.dip_rad = 50.0 * kDegree;
        return plane.normal();
    }();
    EXPECT_GT(dot(normal, expected), std::cos(0.1 * kDegree));
}

TEST_F(SeveralFaults, PlanesThatCrossOrNearlyTouchLieInMeshesOfTheirOwn) {
    build();
    const JobGeometry geometry(job);

    EXPECT_EQ(geometry.fault().mesh_parts(), 3);
    const auto mesh = geometry.build_mesh({});
    const std::vector<mesh::MeshPart> parts = mesh::parts_of(mesh);
    ASSERT_EQ(parts.size(), 3u);
    const auto count = geometry.estimate_mesh();
    EXPECT_NEAR(static_cast<double>(mesh.tets.size()) / static_cast<double>(count.tets), 1.0, 0.5);
    // Snapshots of the volume are those of one mesh.
    job.scenario->volume.epochs_s = {0.0};
    EXPECT_EQ(JobGeometry(job).fault().mesh_parts(), 1);
}

TEST_F(SeveralFaults, ManyPlanesBecomeFaults) {
    model().patches.clear();
    for (int k = 0; k < 13; ++k) {
        append(model().patches,
               plane_of_patches(projection, 20e3 * (k - 6), 0, 12e3, 10.0 * k, 60, 90, 2, 2));
    }
    build();
    const JobGeometry geometry(job);

    EXPECT_EQ(fault_names(geometry).size(), 13u);
    EXPECT_EQ(geometry.fault().mesh_parts(), 2) << "every other one is far enough away";
}

TEST_F(SeveralFaults, SidesMoveTheSumOfAllPartsOnce) {
    // One tenth of a metre on all sides moves everything by as much, whatever slips.
    job.stations = {{"S", 115.7, 32.3, std::nullopt, "stations[0]"}};
    for (int side = 0; side < mesh::kSideCount; ++side) {
        if (side == static_cast<int>(mesh::Side::Top)) {
            continue;
        }
        job.boundaries.kind[side] = BoundaryKind::Free;
        PrescribedSide data;
        data.field = "boundaries.side";
        data.name = mesh::kSideNames[side];
        data.place = side;
        std::ranges::fill(data.given, true);
        data.value[0] = 0.1;
        job.boundaries.data.push_back(data);
    }
    job.boundaries.sources = {{"sides", "sides", {}, ""}};
    job.scenario->events[0].scale = 1e-9;
    build();

    const auto [found, warnings] = run();

    EXPECT_NEAR(found.greens.at(0), 0.1, 1e-4);
}

TEST_F(SeveralFaults, PatchesThatStickOutOfTheGroundAreRefused) {
    model().patches = plane_of_patches(projection, 0, 0, 2121.32, 90, 90, 0, 1, 1);
    model().patches[0].width_m = 6e3;
    build();
    const JobGeometry geometry(job);

    const std::vector<Violation> broken = geometry.check();

    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(broken[0].field, "events[0].patches[0].depth_m");
    EXPECT_EQ(broken[0].message,
              "must be the depth of the patch's centre, at least 3 km for its width and dip, got "
              "2.12132 km: its upper edge is 0.87868 km above the ground, and the part above, "
              "14.6 % of it, cannot slip");
    const AboveGround above = above_ground(models(geometry).at(0), geometry.domain());
    EXPECT_NEAR(above.share, 0.1464, 1e-4);
    EXPECT_NEAR(above.highest_m, 878.68, 0.1);
}

TEST_F(SeveralFaults, LevelPatchesNeedAFaultOfTheirOwn) {
    model().patches = plane_of_patches(projection, 0, 0, 8e3, 90, 0, 90, 1, 1);
    build();
    try {
        const JobGeometry geometry(job);
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "events[0].patches[0].dip_deg");
        EXPECT_EQ(error.violations().at(0).message,
                  "must be > 0 where the fault follows from the patches, got 0; a plane that dips "
                  "by 0.05 degrees does");
    }
}

TEST_F(SeveralFaults, AFaultOutsideOfTheRegionIsNamedByItsPlace) {
    PlaneGeometry plane;
    plane.centre_lon_deg = 119.0;
    plane.centre_lat_deg = 32.3;
    plane.top_depth_m = 2e3;
    plane.dip_deg = 60.0;
    plane.length_m = plane.width_m = 20e3;
    job.fault = plane;
    build();
    try {
        const JobGeometry geometry(job);
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "fault.plane");
        EXPECT_NE(
            error.violations().at(0).message.find("centre must lie inside the region, got 329."),
            std::string::npos)
            << error.what();
    }
}

TEST_F(SeveralFaults, ABoxLargerByAHundredthGivesTheSameAnswers) {
    job.scenario.reset();
    job.fault = main_plane();
    job.patches = test::unit_slip(1, 1);
    std::erase_if(job.patches.sources,
                  [](const UnitSlip& source) { return source.component != "dip_slip"; });
    for (int k = 0; k < 12; ++k) {
        const double angle = 150.0 * k * kDegree, r = 15e3 * std::pow(8.0, k / 11.0);
        const earth::LonLat at = projection.inverse({r * std::sin(angle), r * std::cos(angle)});
        job.stations.push_back({std::to_string(k), at.lon_deg, at.lat_deg});
    }
    job.mesh.size_at_fault_m = 5e3;
    std::vector<std::vector<double>> answers;
    for (const double larger : {1.0, 1.01}) {
        job.region.size_east_m = job.region.size_north_m = larger * 800e3;
        job.region.depth_m = larger * 400e3;
        GreensJob unbuilt = job;
        build();
        answers.push_back(run().first.greens);
        job = unbuilt;
    }

    const auto motion = [&](int box, std::size_t k) {
        const double* u = answers[static_cast<std::size_t>(box)].data() + 3 * k;
        return Vec3{u[0], u[1], u[2]};
    };
    ASSERT_EQ(answers[0].size(), 3 * job.stations.size());
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        EXPECT_LT(norm(motion(0, k) - motion(1, k)), 0.005 * norm(motion(0, k))) << k;
    }
}

/// Unit slip on two planes that cross: the first as a whole, the second in two patches.
class PatchesOnSeveralFaults : public SeveralFaults {
protected:
    PatchesOnSeveralFaults() {
        job.scenario.reset();
        FaultsInOneMesh several;
        several.faults = {{"main", "fault.several[0]", main_plane(), named("main", 1)},
                          {"cross", "fault.several[1]", cross_plane(), named("cross", 2)}};
        job.fault = several;
    }
    static PlaneGeometry cross_plane() {
        PlaneGeometry plane = main_plane();
        plane.strike_deg = 60.0;
        plane.dip_deg = 90.0;
        return plane;
    }
    static FaultPatches named(const std::string& fault, int n_strike) {
        FaultPatches grid = test::unit_slip(n_strike, 1);
        for (FaultPatch& patch : grid.patches) {
            patch.id = fault + "/" + patch.id;
        }
        for (UnitSlip& source : grid.sources) {
            source.id = fault + "/" + source.id;
        }
        return grid;
    }
};

TEST_F(PatchesOnSeveralFaults, SlipIsThatOfAPlaneAloneAndTheOthersAreAtRest) {
    build();
    const JobGeometry geometry(job);
    const auto mesh = geometry.build_mesh({});
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    GreensJob alone = job;
    alone.fault = main_plane();
    alone.patches = test::unit_slip(1, 1);
    const JobGeometry of_alone(alone);

    const auto on_both = geometry.slip().on({mesh, dofs, split});
    const std::vector<Vec3> main = on_both->slip_of("main/s00d00/dip_slip");
    const std::vector<Vec3> same =
        of_alone.slip().on({mesh, dofs, split})->slip_of("s00d00/dip_slip");
    const std::vector<Vec3> cross = on_both->slip_of("cross/s01d00/strike_slip");

    EXPECT_EQ(fault_names(geometry), (std::vector<std::string>{"main", "cross"}));
    ASSERT_EQ(main.size(), same.size());
    double largest = 0.0;
    for (std::size_t k = 0; k < main.size(); ++k) {
        EXPECT_EQ(norm(main[k] - same[k]), 0.0);
        EXPECT_EQ(norm((split.split[k].fault == 0 ? cross : main)[k]), 0.0);
        largest = std::max(largest, norm(cross[k]));
    }
    EXPECT_GT(largest, 0.9);
    EXPECT_THROW((void)on_both->slip_of("s00d00/dip_slip"), Error);
}

TEST_F(PatchesOnSeveralFaults, OneOfThemIsThePlaneAloneButForItsName) {
    std::get<FaultsInOneMesh>(job.fault).faults.pop_back();
    GreensJob alone = job;
    alone.fault = main_plane();
    alone.patches = test::unit_slip(1, 1);
    build();
    build_volumes(alone);
    const JobGeometry geometry(job);
    const JobGeometry of_alone(alone);

    EXPECT_EQ(fault_names(geometry), (std::vector<std::string>{"main"}));
    EXPECT_EQ(fault_names(of_alone), (std::vector<std::string>{"fault"}));
    EXPECT_EQ(patches(geometry).fault, "main");
    EXPECT_EQ(patches(of_alone).fault, "");
    EXPECT_EQ(patches(geometry).field, "fault.several[0].plane");
    EXPECT_EQ(patches(of_alone).field, "fault.plane");
    EXPECT_EQ(geometry.source_ids().at(1), "main/s00d00/dip_slip");
    EXPECT_EQ(of_alone.source_ids().at(1), "s00d00/dip_slip");
    const std::vector<Vec3>& samples = volume_request(geometry).faults.at(0).samples;
    const std::vector<Vec3>& same = volume_request(of_alone).faults.at(0).samples;
    ASSERT_EQ(samples.size(), same.size());
    for (std::size_t k = 0; k < samples.size(); ++k) {
        EXPECT_EQ(norm(samples[k] - same[k]), 0.0);
    }
}

TEST_F(PatchesOnSeveralFaults, PatchesOfOneNameOnTwoFaultsAreTwoRows) {
    auto& faults = std::get<FaultsInOneMesh>(job.fault).faults;
    for (NamedFault& fault : faults) {
        fault.patches = test::unit_slip(1, 1);
        for (UnitSlip& source : fault.patches.sources) {
            source.id = fault.name + "/" + source.id;
        }
    }
    build();
    const JobGeometry geometry(job);
    const auto mesh = geometry.build_mesh({});
    const p2::DofMap dofs(mesh);
    const auto split = fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
    const auto on_mesh = geometry.slip().on({mesh, dofs, split});
    std::vector<io::GreensDataset::Source> rows;
    for (const std::string& id : geometry.slip().ids()) {
        rows.push_back(on_mesh->row(id));
    }
    on_mesh->find_neighbours(rows);

    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].fault, "main");
    EXPECT_EQ(rows[2].fault, "cross");
    EXPECT_NEAR(rows[1].dip_deg, 80.0, 1e-9);
    EXPECT_NEAR(rows[2].dip_deg, 90.0, 1e-9);
    for (const io::GreensDataset::Source& row : rows) {
        EXPECT_EQ(row.neighbours, (std::vector<std::int32_t>{-1, -1, -1, -1}));
    }
}

TEST_F(PatchesOnSeveralFaults, EachMovesTheGroundAsItsOwnDislocation) {
    for (int k = 0; k < 8; ++k) {
        Station station;
        station.id = std::to_string(k);
        const double angle = (45.0 * k + 20.0) * kDegree, r = k % 2 == 0 ? 20e3 : 45e3;
        const earth::LonLat at = projection.inverse({r * std::sin(angle), r * std::cos(angle)});
        station.lon_deg = at.lon_deg;
        station.lat_deg = at.lat_deg;
        job.stations.push_back(station);
    }
    build();
    const io::GreensDataset found = run().first;

    ASSERT_EQ(found.sources.size(), 6u);
    EXPECT_EQ(found.sources[1].id, "main/s00d00/dip_slip");
    EXPECT_EQ(found.sources[1].patch_id, "main/s00d00");
    EXPECT_EQ(found.sources[1].fault, "main");
    EXPECT_EQ(found.sources[5].fault, "cross");
    // Against strike, along it, up dip, down dip: within its own fault.
    EXPECT_EQ(found.sources[1].neighbours, (std::vector<std::int32_t>{-1, -1, -1, -1}));
    EXPECT_EQ(found.sources[2].neighbours, (std::vector<std::int32_t>{-1, 4, -1, -1}));
    EXPECT_EQ(found.sources[5].neighbours, (std::vector<std::int32_t>{3, -1, -1, -1}));
    const auto medium = test::okada_medium(kLambda_pa, kMu_pa);
    const JobGeometry geometry(job);
    double largest = 0.0, worst = 0.0;
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        const Vec3 expected =
            test::okada_displacement({{0.0, 0.0, -2e3}, 0.0, 80.0 * kDegree, 40e3, 20e3},
                                     {0.0, 1.0, 0.0}, medium, geometry.domain().stations()[k]);
        const double* u = found.greens.data() + 3 * (job.stations.size() + k);  // of source 1
        largest = std::max(largest, norm(expected));
        worst = std::max(worst, norm(Vec3{u[0], u[1], u[2]} - expected));
    }
    EXPECT_GT(largest, 0.05);
    EXPECT_LT(worst, 0.03 * largest) << worst << " of " << largest;
}

TEST_F(PatchesOnSeveralFaults, SlipGoesOnAroundABendThatIsOpenAndUpToTheGround) {
    constexpr double kTurn = 25.0 * kDegree, kLength_m = 20e3, kWidth_m = 12e3;
    const Vec3 middles[] = {
        {0.0, -0.5 * kLength_m, 0.0},
        {0.5 * kLength_m * std::sin(kTurn), 0.5 * kLength_m * std::cos(kTurn), 0.0}};
    FaultsInOneMesh bent;
    for (const int k : {0, 1}) {
        const earth::LonLat at = projection.inverse({middles[k].x, middles[k].y});
        PlaneGeometry plane{at.lon_deg, at.lat_deg, 0.0,     k * kTurn / kDegree,
                            90.0,       kLength_m,  kWidth_m};
        (k == 0 ? plane.open.end : plane.open.start) = true;
        const std::string name = k == 0 ? "south" : "north";
        FaultPatches grid = test::unit_slip(2, 2);
        for (FaultPatch& patch : grid.patches) {
            patch.id = name + "/" + patch.id;
        }
        for (UnitSlip& source : grid.sources) {
            source.id = name + "/" + source.id;
        }
        std::erase_if(grid.sources,
                      [](const UnitSlip& source) { return source.component != "strike_slip"; });
        bent.faults.push_back({name, "fault.several[" + std::to_string(k) + "]", plane, grid});
    }
    job.fault = bent;
    job.mesh.size_at_fault_m = 3e3;
    for (const auto& [x, y] : {std::pair(6e3, 0.0),
                               {-5e3, 3e3},
                               {12e3, -9e3},
                               {-12e3, -15e3},
                               {18e3, 20e3},
                               {-9e3, 24e3}}) {
        const earth::LonLat at = projection.inverse({x, y});
        job.stations.push_back({std::to_string(job.stations.size()), at.lon_deg, at.lat_deg});
    }
    build();
    const io::GreensDataset found = run().first;

    ASSERT_EQ(found.sources.size(), 8u);
    // All patches together slip by 1 m up to the ground and around the bend, and taper elsewhere.
    std::vector<test::OkadaPatches> planes;
    for (const int k : {0, 1}) {
        planes.emplace_back(
            test::OkadaFault{middles[k], k * kTurn, 90.0 * kDegree, kLength_m, kWidth_m}, 40, 24,
            [&](int column, int row) {
                const double along_m = (column + 0.5) * kLength_m / 40,
                             down_m = (row + 0.5) * kWidth_m / 24;
                const double from_end_m = k == 0 ? along_m : kLength_m - along_m;
                return std::min(1.0, from_end_m / (kLength_m / 2.5)) *
                       std::min(1.0, (kWidth_m - down_m) / (kWidth_m / 2.5));
            });
    }
    const auto medium = test::okada_medium(kLambda_pa, kMu_pa);
    const JobGeometry geometry(job);
    double largest = 0.0, worst = 0.0;
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        Vec3 expected, sum;
        for (const test::OkadaPatches& plane : planes) {
            expected += plane.displacement(medium, geometry.domain().stations()[k])[0];
        }
        for (std::size_t s = 0; s < found.sources.size(); ++s) {
            const double* u = found.greens.data() + 3 * (s * job.stations.size() + k);
            sum += Vec3{u[0], u[1], u[2]};
        }
        largest = std::max(largest, norm(expected));
        worst = std::max(worst, norm(sum - expected));
    }
    EXPECT_GT(largest, 0.2);
    EXPECT_LT(worst, 0.02 * largest) << worst << " of " << largest;
    double potency_m3 = 0.0;
    for (const io::GreensDataset::Source& source : found.sources) {
        potency_m3 += source.potency_m3;
    }
    EXPECT_NEAR(potency_m3, 2.0 * 16e3 * 9.6e3, 0.02 * 2.0 * 16e3 * 9.6e3);
}

}  // namespace
}  // namespace kaname::jobs::several_faults_test

#endif
