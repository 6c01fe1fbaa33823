// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#if KANAME_HAVE_PROJ

namespace kaname::jobs::layers_at_stations_test {
namespace {

/// A lid of 20 km; station FAR is 280 km from the slip.
GreensJob far_job() {
    GreensJob job = plane_job();
    job.region.size_east_m = job.region.size_north_m = 4000e3;
    job.region.depth_m = 2000e3;
    job.mesh.size_far_m = 400e3;
    job.mesh.growth = 0.4;
    job.stations.push_back({"FAR", 138.0, 34.0, std::nullopt, "stations[1]"});
    return job;
}

/// The warning of layers, or nothing.
std::string told(const GreensJob& job) {
    const GreensJob made = test::built(job);
    for (const std::string& warning : JobGeometry(made).warnings()) {
        if (warning.find("mesh: elements of ") == 0) {
            return warning;
        }
    }
    return "";
}

TEST(LayersAtStations, AreWarnedOfWhereElementsBluntThem) {
    const std::string warning = told(far_job());

    EXPECT_NE(warning.find("of station 'FAR' since the slip by about 16 %"), std::string::npos)
        << warning;
    EXPECT_NE(warning.find("sizes_by_depth of 40 km down to 20 km"), std::string::npos) << warning;
}

TEST(LayersAtStations, AreNotWhereSizesKeepThem) {
    GreensJob job = far_job();

    job.mesh.sizes.by_depth = {{20e3, 40e3, 700e3}};

    EXPECT_EQ(told(job), "");
}

TEST(LayersAtStations, MatterLessRightAfterTheSlip) {
    GreensJob job = far_job();
    job.time.end_s = 0.0;
    job.structure.materials[1].viscosity_pa_s.reset();

    const std::string warning = told(job);

    EXPECT_NE(warning.find("right after the slip by about 3 %"), std::string::npos) << warning;
}

TEST(LayersAtStations, RightAfterTheSlipAreKeptBySizesThatEndBehindTheStation) {
    GreensJob job = far_job();
    job.structure.layers = {{0, 10e3}, {1, std::nullopt}};
    job.mesh.sizes.by_depth = {{10e3, 22e3, 285e3}};
    EXPECT_NE(told(job), "");  // as the rock relaxes, the layer beyond the station counts

    job.time.end_s = 0.0;
    job.structure.materials[1].viscosity_pa_s.reset();

    EXPECT_EQ(told(job), "");
}

TEST(LayersAtStations, OfOtherStiffnessInALidAreWarnedOfByTheirShare) {
    GreensJob job = far_job();
    job.structure.materials.push_back({"soft", 1.5e10, 1.2e10, 0.0, std::nullopt});
    job.structure.materials[0].mu_pa = 4.5e10;
    job.structure.layers = {{2, 10e3}, {0, 30e3}, {1, std::nullopt}};
    job.mesh.sizes.by_depth = {{30e3, 52e3, 560e3}};

    const std::string warning = told(job);

    EXPECT_NE(warning.find("about the 10 km of 'layer-0', softer or stiffer"), std::string::npos)
        << warning;
    EXPECT_NE(warning.find("since the slip by about 11 %"), std::string::npos) << warning;

    job.mesh.sizes.by_depth = {{10e3, 14e3, 350e3}, {30e3, 52e3, 560e3}};
    EXPECT_EQ(told(job), "");
}

TEST(LayersAtStations, SayNothingWhereStationsAreNear) {
    EXPECT_EQ(told(plane_job()), "");
}

}  // namespace
}  // namespace kaname::jobs::layers_at_stations_test

#endif
