// SPDX-License-Identifier: BSD-3-Clause
// Thrusts that come up under the ground at a small angle. All of their grid: tests/long.
#include <cmath>

#include "solvers/base/units.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "tests/unit/worker/jobs/thrust_job.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::shallow_thrust_test {
namespace {

struct Case {
    double top_km, dip_deg, size_km;
};

class ShallowThrust : public testing::TestWithParam<Case> {};

TEST_P(ShallowThrust, MeshesAndSlipsWholly) {
    const auto& [top_km, dip_deg, size_km] = GetParam();
    const GreensJob job = thrust_job(1e3 * top_km, dip_deg, 1e3 * size_km);
    const JobGeometry geometry(job);

    EXPECT_NEAR(expect_sound_fault(geometry).least_peak_m, 1.0, 1e-9);
}

// All of these have failed: "the fault cuts the elements around ... into 2 or 3 parts".
INSTANTIATE_TEST_SUITE_P(Cases, ShallowThrust,
                         testing::Values(Case{2, 7, 12}, Case{4, 8, 12}, Case{4, 10, 12},
                                         Case{8, 7, 12}, Case{8, 8, 12}, Case{8, 10, 12}));

TEST(ShallowThrusts, ElementsFollowTheWedge) {
    const GreensJob job = thrust_job(1e3, 8.0, 8e3);
    const JobGeometry geometry(job);
    const auto& points = volume_request(geometry).sizes.points;

    double least = 1e9, most = 0.0;
    for (const auto& group : points) {
        least = std::min(least, group.size_m);
        most = std::max(most, group.size_m);
        for (const Vec3& x : group.at) {
            const double under = std::max(-x.z, 1e3 - 1e3 * std::sin(8.0 * kDegree));
            EXPECT_LE(group.size_m, std::max(1e3, 2.0 * under) + 1.0);
            EXPECT_GE(std::sqrt(2.0) * group.size_m, std::min(8e3, 2.0 * -x.z) - 1.0);
        }
    }
    // Twice the wedge over the upper edge of the slip, which falls off over twice that again.
    EXPECT_NEAR(least, 2.0 * (1e3 - 1e3 * std::sin(8.0 * kDegree)), 400.0);
    EXPECT_EQ(most, 8e3);
}

TEST(ShallowThrusts, SteeperFaultsAndDeeperOnesHaveOneSize) {
    for (const auto& [top_m, dip_deg] : {std::pair(1e3, 25.0), {4e3, 8.0}}) {
        const GreensJob job = thrust_job(top_m, dip_deg, 8e3);
        const JobGeometry geometry(job);
        ASSERT_EQ(volume_request(geometry).sizes.points.size(), top_m > 3e3 ? 2U : 1U);
        EXPECT_EQ(volume_request(geometry).sizes.points[0].size_m, 8e3);
    }
}

TEST(ShallowThrusts, WhatTheWedgeCostsIsToldBeforehand) {
    const auto told = [](double top_m, double dip_deg) {
        const GreensJob job = thrust_job(top_m, dip_deg, 8e3);
        std::string text;
        for (const std::string& warning : JobGeometry(job).warnings()) {
            text += warning.starts_with("fault: ") ? warning : "";
        }
        return text;
    };
    EXPECT_EQ(told(8e3, 10.0), "");
    EXPECT_EQ(told(1e3, 25.0), "");
    EXPECT_NE(told(2e3, 10.0).find("elements in the wedge above it are as small as 3"),
              std::string::npos)
        << told(2e3, 10.0);
    EXPECT_EQ(told(2e3, 10.0).find("leaves"), std::string::npos);
    EXPECT_NE(told(0.0, 10.0).find("as small as 2000 m, and where the wedge is thinner than about "
                                   "1000 m the fault's mesh leaves the fault"),
              std::string::npos)
        << told(0.0, 10.0);
}

TEST(ShallowThrusts, OneThatBreaksTheSurfaceIsBluntedAtItsTip) {
    const GreensJob job = thrust_job(0.0, 12.0, 12e3);
    const JobGeometry geometry(job);

    const SoundFault meshed = expect_sound_fault(geometry);

    EXPECT_NEAR(meshed.report.faults.at(0).top_depth_m, 0.0, 1e-6);
    for (const auto& surface : meshed.report.interfaces->surfaces) {
        if (surface.is_fault) {
            EXPECT_GT(surface.blunted_m2, 0.0);
            EXPECT_LT(surface.blunted_m2, 0.1 * meshed.report.faults.at(0).area_m2);
            EXPECT_LT(surface.max_m, 0.5 * 3e3);  // elements there are a quarter as large
        }
    }
}

}  // namespace
}  // namespace kaname::jobs::shallow_thrust_test

#endif
