// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#if KANAME_HAVE_PROJ

namespace kaname::jobs::gentle_slip_test {
namespace {

/// A rectangle 25 km deep, below the lid's bottom at 20 km.
GreensJob dipping(double dip_deg, double growth) {
    GreensJob job = plane_job();
    auto& plane = std::get<PlaneGeometry>(job.fault);
    plane.top_depth_m = 25e3;
    plane.dip_deg = dip_deg;
    job.mesh.growth = growth;
    return job;
}

std::string told(const GreensJob& job) {
    const GreensJob made = test::built(job);
    for (const std::string& warning : JobGeometry(made).warnings()) {
        if (warning.find("in rock that relaxes moves the ground little") != std::string::npos) {
            return warning;
        }
    }
    return "";
}

TEST(GentleSlip, IsPredictedAsFarAsWasFound) {
    // The largest errors of docs/user/accuracy.md.
    struct Found {
        double dip_deg, growth, error;
    };
    for (const Found& found :
         {Found{20.0, 0.3, 0.014}, Found{10.0, 0.3, 0.032}, Found{10.0, 0.15, 0.016},
          Found{5.0, 0.3, 0.044}, Found{5.0, 0.15, 0.040}}) {
        const double times = gentle_slip_error(found.dip_deg, found.growth) / found.error;
        EXPECT_GT(times, 1.0 / 1.7) << found.dip_deg << " " << found.growth;
        EXPECT_LT(times, 1.7) << found.dip_deg << " " << found.growth;
    }
}

TEST(GentleSlip, InRockThatRelaxesIsWarnedOf) {
    const std::string warning = told(dipping(5.0, 0.3));

    EXPECT_NE(warning.find("slip that dips by 5 degrees"), std::string::npos) << warning;
    EXPECT_NE(warning.find("off by about 7.4 % of itself"), std::string::npos) << warning;
    EXPECT_NE(warning.find("mesh.growth of 0.15 in place of 0.3 makes it about 3.7 %"),
              std::string::npos)
        << warning;
}

TEST(GentleSlip, NamesNoGrowthThatIsInUse) {
    const std::string warning = told(dipping(5.0, 0.15));

    EXPECT_NE(warning.find("off by about 3.7 % of itself"), std::string::npos) << warning;
    EXPECT_EQ(warning.find("mesh.growth"), std::string::npos) << warning;
}

TEST(GentleSlip, IsRightInTimeOrInRockThatStays) {
    GreensJob elastic = dipping(5.0, 0.3);
    std::get<PlaneGeometry>(elastic.fault).top_depth_m = 5e3;
    GreensJob at_once = dipping(5.0, 0.3);
    at_once.time.end_s = 1e7;

    EXPECT_EQ(told(elastic), "");
    EXPECT_EQ(told(at_once), "");
    EXPECT_EQ(told(dipping(20.0, 0.3)), "");
    EXPECT_EQ(told(dipping(10.0, 0.15)), "");
}

}  // namespace
}  // namespace kaname::jobs::gentle_slip_test

#endif
