// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/gmsh_writer.hpp"
#include "tests/unit/worker/jobs/rupture/small_rupture.hpp"
#include "worker/jobs/rupture/rupture_model.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"

namespace kaname::jobs::rupture_preflight_test {
namespace {

/// Returns true if one of the texts has all of these parts.
bool told(const std::vector<std::string>& texts, std::initializer_list<const char*> parts) {
    return std::ranges::any_of(texts, [&](const std::string& text) {
        return std::ranges::all_of(
            parts, [&](const char* part) { return text.find(part) != std::string::npos; });
    });
}

void expect_violation(const RuptureJob& job, const std::string& field, const std::string& part) {
    const SeismicPreflight found = preflight_rupture(job);
    ASSERT_FALSE(found.violations.empty()) << field;
    EXPECT_EQ(found.violations[0].field, field);
    EXPECT_NE(found.violations[0].message.find(part), std::string::npos)
        << found.violations[0].message;
}

TEST(RupturePreflight, TellsOfStressAboveStrengthWithItsArea) {
    RuptureJob job = test::small_rupture();
    EXPECT_FALSE(told(preflight_rupture(job).warnings, {"above static strength"}))
        << "81.6 MPa in the patch that nucleates are meant";

    // A table with the same stress has no nucleation zone.
    const TemporaryFolder folder;
    const auto path = folder.path() / "table.csv";
    std::string rows = "along_m,down_m,strike_mpa\n";
    for (const char* down : {"0", "2400"}) {
        for (const auto& [along, mpa] :
             {std::pair("-2400", "70"), {"1199", "70"}, {"1200", "90"}, {"2400", "90"}}) {
            rows += std::string(along) + "," + down + "," + mpa + "\n";
        }
    }
    write_file(path, rows);
    job.faults[0].table = RuptureTable{path.string(), false, "faults[0].table"};
    const SeismicPreflight found = preflight_rupture(job);
    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_TRUE(told(found.warnings, {"fault main", "above static strength on 2.88 km2 (25.0 %",
                                      "1.11 times the strength"}))
        << "90/(0.677 x 120) on a quarter of 11.52 km2";
}

TEST(RupturePreflight, KnowsTheCohesiveZone) {
    using rupture::FrictionLaw;
    FaultNumbers n = test::tpv5_numbers();
    n[FaultNumber::Normal] = -120e6;
    const double mu = 32.04e9;
    // TPV5: 9 pi/32 x 32.04 GPa/0.75 x 0.4 m/18.24 MPa = 828 m.
    EXPECT_NEAR(cohesive_zone_m(FrictionLaw::LinearSlipWeakening, n, mu, 0.25), 828.0, 1.0);
    // TPV101: 32.04 GPa x 0.02 m/(0.012 x 120 MPa) = 445 m.
    n[FaultNumber::B] = 0.012;
    n[FaultNumber::StateSlip] = 0.02;
    EXPECT_NEAR(cohesive_zone_m(FrictionLaw::Ageing, n, mu, 0.25), 445.0, 1.0);
    // TPV104: 9 pi/32 x 32.04 GPa/0.75 x 0.4 m/(0.4 x 120 MPa) = 315 m.
    n[FaultNumber::StateSlip] = 0.4;
    n[FaultNumber::WeakenedFriction] = 0.2;
    EXPECT_NEAR(cohesive_zone_m(FrictionLaw::FastVelocityWeakening, n, mu, 0.25), 314.6, 1.0);
    EXPECT_EQ(points_in_zone(828.0, 207.0, 4), 8.0);

    RuptureJob job = test::small_rupture();
    EXPECT_TRUE(told(preflight_rupture(job).warnings,
                     {"cohesive zone is 414 m", "600 m", "1 points", "Day et al. 2005", "100 %"}));
    job.faults[0].numbers[FaultNumber::WeakeningSlip] = 0.8;
    const SeismicPreflight fine = preflight_rupture(job);
    EXPECT_FALSE(told(fine.warnings, {"cohesive zone"}));
    EXPECT_TRUE(told(fine.notes, {"cohesive zone is 1.66e+03 m"}));
}

TEST(RupturePreflight, TellsWhereNothingBegins) {
    RuptureJob job = test::small_rupture();
    EXPECT_FALSE(told(preflight_rupture(job).warnings, {"nothing begins"}));
    job.faults[0].patches.clear();
    EXPECT_TRUE(told(preflight_rupture(job).warnings, {"nothing begins"}));
    job.forced_nucleation = {{0, 0.0, 1200.0, 500.0, 2000.0, "nucleation"}};
    EXPECT_FALSE(told(preflight_rupture(job).warnings, {"nothing begins"}));
}

TEST(RupturePreflight, TellsWhereWhatShouldBeginItIsTooWeak) {
    RuptureJob weak = test::small_rupture();
    weak.faults[0].patches[0].numbers[FaultNumber::Strike] = 80e6;
    EXPECT_TRUE(told(preflight_rupture(weak).warnings,
                     {"nothing begins this rupture", "at most 0.985 of static strength"}));

    RuptureJob added = test::small_rupture();
    added.faults[0].patches.clear();
    for (const auto& [strike_pa, begins] : {std::pair(5e6, false), {-20e6, false}, {20e6, true}}) {
        added.smooth_nucleation = {{0, 0.0, 1200.0, 700.0, strike_pa, 0.0, "nucleation"}};
        EXPECT_NE(told(preflight_rupture(added).warnings, {"nothing begins"}), begins) << strike_pa;
    }
}

TEST(RupturePreflight, TellsOfTensionAndOfMaterialThatYields) {
    RuptureJob job = test::small_rupture();
    job.faults[0].stress = TractionByDepth::constant({120e6, 70e6, 0.0});
    EXPECT_TRUE(told(preflight_rupture(job).warnings,
                     {"not below 0 on 11.5 km2 (100.0 %", "compression is negative"}));

    job = test::small_rupture();
    RupturePlasticity plastic;
    plastic.cohesion_pa = ByDepth<1>::constant({5e6});
    plastic.friction = 0.85;
    plastic.stress = StressByDepth::constant({-50e6, -50e6, -50e6, 40e6, 0.0, 0.0});
    job.plasticity = plastic;
    // 5 cos phi + 50 sin phi = 36.2 MPa.
    EXPECT_TRUE(told(preflight_rupture(job).warnings, {"yields already", "40 MPa", "36.2 MPa"}));
    job.plasticity->stress = StressByDepth::constant({-50e6, -50e6, -50e6, 30e6, 0.0, 0.0});
    const SeismicPreflight found = preflight_rupture(job);
    EXPECT_FALSE(told(found.warnings, {"yields already"}));
    EXPECT_EQ(found.gpu_bytes, found.solve_bytes);
    job.plasticity.reset();
    EXPECT_GT(found.solve_bytes - preflight_rupture(job).solve_bytes, 100.0 * double(found.tets));
}

TEST(RupturePreflight, NamesWhatIsWrong) {
    RuptureJob job = test::small_rupture();
    job.faults[0].numbers[FaultNumber::StaticFriction] = -0.1;
    expect_violation(job, "faults[0].static_friction", "must be >= 0, got -0.1 at");

    job = test::small_rupture();
    job.fault_receivers[0].along_m = 2500.0;
    expect_violation(job, "fault_receivers[0]", "along within -2400 to 2400 m, got 2500");

    job = test::small_rupture();
    job.smooth_nucleation = {{0, 0.0, 4000.0, 1000.0, 1e6, 0.0, "nucleation[0]"}};
    expect_violation(job, "nucleation[0]", "must reach its fault");

    job = test::small_rupture();
    job.fault_snapshots_s = {2.0};
    expect_violation(job, "output.fault_snapshots_s", "within 0 to time.end_s = 1, got 2");

    job = test::small_rupture();
    const TemporaryFolder folder;
    const auto path = folder.path() / "table.csv";
    write_file(path,
               "along_m,down_m,strike_mpa\n-2000,0,70\n2400,0,70\n-2000,2400,70\n"
               "2400,2400,70\n");
    job.faults[0].table = RuptureTable{path.string(), false, "faults[0].table"};
    job.mesh.faults[0].element_size_m = 200.0;
    expect_violation(job, "faults[0].table",
                     "must cover the fault main, has along -2000 to 2400 m");
}

TEST(RupturePreflight, LooksAtTheFacesOfAMeshOfOnesOwn) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "box.msh";
    test::BoxMesh box;  // 8 x 8 x 4 cubes of 1 km with a vertical fault of 4 km x 2 km across x
    box.cells = {8, 8, 4};
    box.low = {-4000.0, -4000.0, -4000.0};
    box.high = {4000.0, 4000.0, 0.0};
    box.faults = {{0, 4, {0, 2, 2}, {0, 6, 4}, true}};
    write_file(path, test::write_gmsh(box.build(), {"rock"}, {}));
    RuptureJob job = test::small_rupture();
    MeshOfOnesOwn own;
    own.path = path.string();
    own.length_unit = "m";
    own.top = "top";
    own.materials = {test::rock("rock", 6000.0, 3464.0, 2670.0)};
    job.mesh.model = own;
    job.mesh.max_frequency_hz = 0.4;
    // The plus side is to the west: strike is south.
    job.mesh.faults = {{"main", "faults[0]", FaultInFile{"fault", 180.0}, 0.0}};
    const SeismicPreflight found = preflight_rupture(job);
    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_TRUE(told(found.warnings, {"cohesive zone is 414 m", "elements are 1.14e+03 m"}));
    EXPECT_TRUE(told(found.notes, {"faces with friction"}));
    const RuptureModel model = rupture_in_mesh(job, plan_mesh(job).build());
    const Vec3 at = model.seismic.waves.fault.receivers[0].at_m;
    EXPECT_NEAR(norm(at - Vec3{0.0, -1500.0, -1200.0}), 0.0, 1e-6) << "along strike, down";

    job.fault_receivers[0].along_m = 4000.0;
    expect_violation(job, "fault_receivers[0]", "must lie on its fault");
}

TEST(RupturePreflight, EstimatesTheDataset) {
    RuptureJob job = test::small_rupture();
    const SeismicPreflight found = preflight_rupture(job);
    EXPECT_EQ(found.sources, 1);
    EXPECT_EQ(found.epochs, 51);
    EXPECT_GT(found.updates, 0.0);
    job.fault_snapshots_s.assign(1000, 0.5);
    EXPECT_GT(preflight_rupture(job).dataset_bytes, found.dataset_bytes + 998 * 2 * 4 * 60);
}

}  // namespace
}  // namespace kaname::jobs::rupture_preflight_test
