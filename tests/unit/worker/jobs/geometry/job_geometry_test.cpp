// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/job_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::job_geometry_test {
namespace {

using test::built;

std::vector<Violation> check_of(const GreensJob& job) {
    const GreensJob made = built(job);
    return JobGeometry(made).check();
}

std::vector<std::string> warnings_of(const GreensJob& job) {
    const GreensJob made = built(job);
    return JobGeometry(made).warnings();
}

/// True when one violation has this field and all words in its message.
bool has(const std::vector<Violation>& violations, const std::string& field,
         const std::vector<std::string>& words) {
    return std::any_of(violations.begin(), violations.end(), [&](const Violation& violation) {
        return violation.field == field &&
               std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                   return violation.message.find(word) != std::string::npos;
               });
    });
}

std::string all(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        text += violation.field + ": " + violation.message + '\n';
    }
    return text;
}

PlaneGeometry& plane(GreensJob& job) {
    return std::get<PlaneGeometry>(job.fault);
}

TEST(SetupPlane, SoundJobHasNoViolations) {
    const GreensJob job = built(plane_job());

    const JobGeometry geometry(job);

    EXPECT_TRUE(geometry.check().empty()) << all(geometry.check());
    ASSERT_EQ(geometry.domain().stations().size(), 1u);
    EXPECT_NEAR(geometry.domain().stations()[0].x, 9.2e3, 100.0);
    EXPECT_NEAR(geometry.domain().stations()[0].y, 11.1e3, 100.0);
    EXPECT_EQ(geometry.domain().stations()[0].z, 0.0);
}

TEST(SetupPlane, OneSourcePerPatchAndComponent) {
    GreensJob job = built(plane_job());
    job.patches = test::unit_slip(3, 2);

    const JobGeometry geometry(job);

    ASSERT_EQ(patches(geometry).sources.size(), 12u);
    EXPECT_EQ(patches(geometry).sources[0].id, "s00d00/strike_slip");
    EXPECT_EQ(patches(geometry).sources[1].id, "s00d00/dip_slip");
    EXPECT_NEAR(patches(geometry).sources[1].rake_rad, 90.0 * kDegree, 1e-15);
    EXPECT_EQ(patches(geometry).sources[11].id, "s02d01/dip_slip");
    EXPECT_EQ(patches(geometry).sources[11].patch.hat, fault::Hat::Bilinear);
}

TEST(SetupPlane, HatsOfAGridVanishOnTheRectanglesEdge) {
    GreensJob job = built(plane_job());
    job.patches = test::unit_slip(3, 2);

    const JobGeometry geometry(job);

    for (const auto& source : patches(geometry).sources) {
        for (const double along : {-0.4, 0.0, 0.3}) {
            EXPECT_NEAR(source.patch.shape({along * 20e3, 0.0}), 0.0, 1e-12);
            EXPECT_NEAR(source.patch.shape({along * 20e3, 10e3}), 0.0, 1e-12);
            EXPECT_NEAR(source.patch.shape({-10e3, (along + 0.5) * 10e3}), 0.0, 1e-12);
            EXPECT_NEAR(source.patch.shape({10e3, (along + 0.5) * 10e3}), 0.0, 1e-12);
        }
    }
}

TEST(SetupPlane, HatsOfAGridThatBreaksTheGroundSlipInFullUpToIt) {
    GreensJob job = plane_job();
    plane(job).top_depth_m = 0.0;
    job.patches = test::unit_slip(3, 2);
    job = built(std::move(job));

    const JobGeometry geometry(job);

    // Rows 10 km / 2.5 apart, the first 2 km below the ground.
    double sum[4] = {};
    for (const auto& source : patches(geometry).sources) {
        if (source.patch.column == 1 && source.component == "dip_slip") {
            EXPECT_NEAR(source.patch.width_m, 4e3, 1e-9);
            EXPECT_NEAR(source.patch.centre.d, source.patch.row == 0 ? 2e3 : 6e3, 1e-9);
        }
        if (source.component == "dip_slip") {
            int k = 0;
            for (const double d : {0.0, 1e3, 5e3, 10e3}) {
                sum[k++] += source.patch.shape({0.0, d});
            }
        }
    }
    EXPECT_NEAR(sum[0], 1.0, 1e-12);
    EXPECT_NEAR(sum[1], 1.0, 1e-12);
    EXPECT_NEAR(sum[2], 1.0, 1e-12);
    EXPECT_NEAR(sum[3], 0.0, 1e-12);
}

TEST(SetupPlane, HatsSlipInFullUpToEdgesThatAreOpen) {
    GreensJob job = plane_job();
    plane(job).open = {.start = false, .end = true, .bottom = true};
    job.patches = test::unit_slip(3, 2);
    job = built(std::move(job));

    const JobGeometry geometry(job);

    const auto sum_at = [&](double s, double d) {
        double sum = 0.0;
        for (const auto& source : patches(geometry).sources) {
            sum += source.component == "dip_slip" ? source.patch.shape({s, d}) : 0.0;
        }
        return sum;
    };
    EXPECT_NEAR(sum_at(9.9e3, 9.9e3), 1.0, 1e-12);
    EXPECT_NEAR(sum_at(10.1e3, 9.9e3), 0.0, 1e-12);
    EXPECT_NEAR(sum_at(9.9e3, 10.1e3), 0.0, 1e-12);
    EXPECT_NEAR(sum_at(-10e3, 9.9e3), 0.0, 1e-12);
    EXPECT_NEAR(sum_at(9.9e3, 0.0), 0.0, 1e-12);
}

TEST(SetupPlane, AStationThatWouldLieInsideIfExchangedIsToldSo) {
    GreensJob job = plane_job();
    job.region.centre_lon_deg = 45.0;
    std::get<PlaneGeometry>(job.fault).centre_lon_deg = 45.0;
    job.stations = {{"SWAPPED", 34.1, 45.1, std::nullopt, "stations[0]"},
                    {"FAR", 50.0, 34.0, std::nullopt, "stations[1]"}};

    const auto violations = check_of(job);

    ASSERT_EQ(violations.size(), 2u) << all(violations);
    EXPECT_TRUE(violations[0].message.ends_with("; are longitude and latitude exchanged?"));
    EXPECT_TRUE(violations[1].message.ends_with(" km north of its centre"));
}

TEST(SetupPlane, StationOutsideTheRegionIsNamedWithItsPlace) {
    GreensJob job = plane_job();
    job.stations.push_back({"FAR", 137.5, 34.0, std::nullopt, "stations[1]"});
    job.stations.push_back({"DEEP", 135.0, 34.0, 120e3, "stations[2]"});
    job.stations.push_back({"HIGH", 135.0, 34.0, -20e3, "stations[3]"});

    const auto violations = check_of(job);

    EXPECT_EQ(violations.size(), 3u) << all(violations);
    EXPECT_TRUE(has(violations, "stations[1]", {"'FAR'", "inside the region", "137.5"}))
        << all(violations);
    EXPECT_TRUE(has(violations, "stations[2]", {"'DEEP'", "120000"})) << all(violations);
    EXPECT_TRUE(has(violations, "stations[3]", {"'HIGH'", "10000", "above", "20000"}))
        << all(violations);
}

TEST(SetupPlane, StationsAreCheckedInTheTurnedBox) {
    // 120 km east lies beyond the side at 100 km, but inside the corner that a turn by 45 degrees
    // brings there.
    GreensJob job = plane_job();
    job.stations = {{"EAST", 136.3, 34.0, std::nullopt, "stations[0]"}};  // 120 km east
    job.region.azimuth_deg = 45.0;
    const auto turned = check_of(job);
    job.region.azimuth_deg = 0.0;
    const auto straight = check_of(job);

    EXPECT_TRUE(turned.empty()) << all(turned);
    EXPECT_TRUE(has(straight, "stations[0]", {"'EAST'"}));
}

TEST(SetupPlane, StationAboveTheSnapToleranceIsRefused) {
    GreensJob job = plane_job();
    job.output.snap_tolerance_m = 1000.0;
    job.stations[0].depth_m = -900.0;
    GreensJob high = job;
    high.stations[0].depth_m = -1100.0;

    const auto allowed = check_of(job);
    const auto refused = check_of(high);

    EXPECT_TRUE(allowed.empty()) << all(allowed);
    EXPECT_TRUE(has(refused, "stations[0]", {"'S1'", "at most 1000 m above", "got 1100"}))
        << all(refused);
}

TEST(SetupPlane, FaultBeyondTheSidesOrTheBottomIsRefusedByItsField) {
    GreensJob wide = plane_job();
    plane(wide).length_m = 260e3;
    GreensJob deep = plane_job();
    plane(deep).top_depth_m = 96e3;

    for (const GreensJob& job : {wide, deep}) {
        const auto violations = check_of(job);
        EXPECT_TRUE(has(violations, "fault.plane", {"patch s00d00 leaves the region at"}))
            << all(violations);
    }
}

/// The job with its sides and bottom fixed.
GreensJob held(GreensJob job) {
    for (BoundaryKind& kind : job.boundaries.kind) {
        kind = BoundaryKind::Fixed;
    }
    job.boundaries.kind[static_cast<int>(mesh::Side::Top)] = BoundaryKind::Free;
    return job;
}

TEST(SetupPlane, WarnsOfSidesNearTheFault) {
    GreensJob near = held(plane_job());
    near.region.size_east_m = near.region.size_north_m = 80e3;
    GreensJob far = held(plane_job());
    far.region = {135.0, 34.0, 400e3, 400e3, 300e3, 0.0};

    ASSERT_FALSE(warnings_of(near).empty());
    EXPECT_TRUE(warnings_of(near)[0].starts_with("region: a side or the bottom, "));
    EXPECT_TRUE(warnings_of(far).empty());
    near.stations.clear();
    EXPECT_FALSE(warnings_of(near).empty());
}

TEST(SetupPlane, ElementsMustNotBeLargerThanPatches) {
    GreensJob job = plane_job();  // 20 km x 10 km
    job.mesh.size_at_fault_m = 5e3;
    EXPECT_TRUE(warnings_of(job).empty());

    job.mesh.size_at_fault_m = 6e3;
    EXPECT_TRUE(check_of(job).empty());
    ASSERT_EQ(warnings_of(job).size(), 1u);
    EXPECT_TRUE(warnings_of(job)[0].starts_with("mesh.size_at_fault: "));

    job.mesh.size_at_fault_m = 11e3;
    EXPECT_TRUE(has(check_of(job), "mesh.size_at_fault_m",
                    {"shorter side of what slips in patch", "10 km, got 11 km"}));
}

TEST(SetupPlane, WarnsOfSidesThatAreNearForAStation) {
    GreensJob job = held(plane_job());
    job.region = {135.0, 34.0, 1000e3, 1000e3, 500e3, 0.0};
    ASSERT_TRUE(warnings_of(job).empty());

    job.stations.push_back({"AWAY", 137.2, 34.0, {}, "stations[1]"});
    ASSERT_EQ(warnings_of(job).size(), 1u);
    const std::string warning = warnings_of(job)[0];
    EXPECT_NE(warning.find("the motion of station 'AWAY' by about 10 % after 31.7 years"),
              std::string::npos)
        << warning;

    for (BoundaryKind& kind : job.boundaries.kind) {
        kind = BoundaryKind::Free;
    }
    EXPECT_TRUE(warnings_of(job).empty());
}

TEST(SetupPlane, WarnsOfTheEarthsCurvatureBeforeItAsksForALargerBox) {
    GreensJob job = held(plane_job());
    job.region = {135.0, 34.0, 3000e3, 3000e3, 1500e3, 0.0};
    job.stations.push_back({"NEAR", 135.0, 38.4, {}, "stations[1]"});  // 490 km
    for (const std::string& warning : warnings_of(job)) {
        EXPECT_EQ(warning.find("curvature"), std::string::npos) << warning;
    }

    job.stations.push_back({"FAR", 135.0, 43.0, {}, "stations[2]"});
    const std::vector<std::string> warnings = warnings_of(job);

    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_TRUE(warnings[0].starts_with(
        "stations: one lies more than 500 km from the slip ('FAR': 1000 km), where the Earth's "
        "curvature counts"))
        << warnings[0];
    EXPECT_TRUE(warnings[1].starts_with("region: a side or the bottom, ")) << warnings[1];
}

/// Interface that dips north from 10 km depth at 33.5 N by 20 km per degree, 134..136 E up to
/// 34.5 N, in a file of its own.
class SetupInterface : public testing::Test {
protected:
    SetupInterface() {
        std::ofstream out(folder_.path("surface.csv"));
        out << "lon_deg,lat_deg,depth_km\n";
        for (int j = 0; j <= 20; ++j) {
            for (int i = 0; i <= 40; ++i) {
                out << 134.0 + 0.05 * i << ',' << 33.5 + 0.05 * j << ',' << 10.0 + j << '\n';
            }
        }
        job = plane_job();
        job.stations.clear();
        job.region = {135.0, 34.0, 300e3, 300e3, 120e3, 0.0};
        InterfaceGeometry interface;
        interface.surface_path = folder_.path("surface.csv");
        interface.min_depth_m = 5e3;
        interface.max_depth_m = 60e3;
        interface.origin_lon_deg = 134.8;
        interface.origin_lat_deg = 33.8;
        interface.strike_deg = 270.0;
        interface.hat = fault::Hat::Bilinear;
        job.patches = test::unit_slip(2, 2);
        interface.spacing_strike_m = 15e3;
        interface.spacing_dip_m = 15e3;
        job.fault = interface;
    }

    InterfaceGeometry& interface() { return std::get<InterfaceGeometry>(job.fault); }

    support::TemporaryFolder folder_;
    GreensJob job;
};

TEST_F(SetupInterface, SoundJobHasNoViolations) {
    job = built(job);
    const JobGeometry geometry(job);

    EXPECT_TRUE(geometry.check().empty()) << all(geometry.check());
    EXPECT_EQ(patches(geometry).sources.size(), 8u);
}

TEST_F(SetupInterface, PatchesAndSourcesHaveTheIdsThatTheyAreGiven) {
    job.patches = {
        2, 1, {{"right", 1, 0}, {"left", 0, 0}}, {{"b", 1, "any", 45.0}, {"a", 0, "any", -45.0}}};
    job = built(job);

    const JobGeometry geometry(job);

    EXPECT_EQ(geometry.source_ids(), (std::vector<std::string>{"b", "a"}));
    const auto& sources = patches(geometry).sources;
    EXPECT_EQ(sources[0].component, "any");
    EXPECT_EQ(sources[0].patch.id, "left");
    EXPECT_EQ(sources[0].patch.centre.s, 0.0);
    EXPECT_EQ(sources[1].patch.id, "right");
    EXPECT_EQ(sources[1].patch.centre.s, 15e3);
    EXPECT_EQ(sources[1].patch.column, 1);
}

TEST_F(SetupInterface, PatchThatLeavesTheDataIsNamed) {
    job.patches = test::unit_slip(2, 6);

    const auto violations = check_of(job);

    EXPECT_TRUE(
        has(violations, "fault.interface.patches",
            {"patch s00d05", "must lie on the data of surface 'interface'", "but has none at"}))
        << all(violations);
    EXPECT_FALSE(has(violations, "fault.interface.patches", {"patch s00d00"})) << all(violations);
}

TEST_F(SetupInterface, PatchThatLeavesTheRegionIsNamed) {
    job.region.size_north_m = 100e3;
    job.patches = test::unit_slip(2, 5);

    const auto violations = check_of(job);

    EXPECT_TRUE(has(violations, "fault.interface.patches", {"leaves the region at"}))
        << all(violations);
}

TEST_F(SetupInterface, RegionMayBeTurned) {
    job.region.azimuth_deg = 20.0;

    EXPECT_TRUE(check_of(job).empty());
}

TEST_F(SetupInterface, WarnsOfTheExtendedPart) {
    const auto warnings = warnings_of(job);

    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("surface 'interface': ") != std::string::npos &&
               warning.find("% of the plan has no data") != std::string::npos;
    }));
}

}  // namespace
}  // namespace kaname::jobs::job_geometry_test

#endif
