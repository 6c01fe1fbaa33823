// SPDX-License-Identifier: BSD-3-Clause
// Scenarios whose slip models lie in several planes, or that name several faults.
#include "tests/unit/worker/jobs/several_faults_case.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::several_faults_test {
namespace {

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

}  // namespace
}  // namespace kaname::jobs::several_faults_test

#endif
