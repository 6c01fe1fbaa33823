// SPDX-License-Identifier: BSD-3-Clause
// Unit slip on the patches of several faults.
#include "tests/unit/worker/jobs/several_faults_case.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::patches_on_several_faults_test {
namespace {

using namespace several_faults_test;

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
}  // namespace kaname::jobs::patches_on_several_faults_test

#endif
