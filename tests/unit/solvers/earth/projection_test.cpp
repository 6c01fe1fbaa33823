// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/projection.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::earth::projection_test {
namespace {

#ifdef KANAME_HAVE_PROJ

TEST(Projection, InverseUndoesForward) {
    const Projection projection({135.0, 33.0});

    const MapPoint point = projection.forward({138.7, 36.1});
    const LonLat place = projection.inverse(point);

    EXPECT_NEAR(place.lon_deg, 138.7, 1e-10);
    EXPECT_NEAR(place.lat_deg, 36.1, 1e-10);
}

TEST(Projection, KeepsMeridianArcLengthFromCentre) {
    // One degree times the meridian's radius a (1 - e2) / (1 - e2 sin2 30.5)^1.5 of WGS84.
    const Projection projection({10.0, 30.0});

    const MapPoint north = projection.forward({10.0, 31.0});

    EXPECT_NEAR(north.x_m, 0.0, 1e-6);
    EXPECT_NEAR(north.y_m, 110860.9, 0.1);
}

TEST(Projection, ConvergenceFollowsSineOfLatitude) {
    const Projection projection({135.0, 33.0});

    // Near the centre true north turns from grid north by -(lon - lon0) sin(lat): west of grid
    // north to the east of the centre.
    const double expected = -0.1 * kDegree * std::sin(33.0 * kDegree);
    EXPECT_NEAR(projection.convergence({135.1, 33.0}), expected, 1e-6);
    EXPECT_NEAR(projection.convergence({134.9, 33.0}), -expected, 1e-6);
    EXPECT_NEAR(projection.convergence({135.0, 36.0}), 0.0, 1e-9);
}

TEST(Projection, ConvergenceTurnsTrueNorthStepIntoGridStep) {
    const Projection projection({135.0, 33.0});
    const LonLat place{138.0, 35.0};

    const double angle = projection.convergence(place);
    const MapPoint here = projection.forward(place);
    const MapPoint north = projection.forward({138.0, 35.01});

    EXPECT_NEAR(std::atan2(north.x_m - here.x_m, north.y_m - here.y_m), angle, 1e-5);
}

TEST(Projection, WktNamesAzimuthalEquidistantAndCentre) {
    const std::string wkt = Projection({135.25, 33.5}).wkt();

    EXPECT_EQ(wkt.rfind("PROJCRS", 0), 0u) << wkt;
    EXPECT_NE(wkt.find("135.25"), std::string::npos) << wkt;
    EXPECT_NE(wkt.find("33.5"), std::string::npos) << wkt;
    EXPECT_NE(wkt.find("zimuthal Equidistant"), std::string::npos) << wkt;
}

TEST(Projection, RefusesCentreOffTheGlobe) {
    EXPECT_THROW(Projection({135.0, 91.0}), Error);
    EXPECT_THROW(Projection({std::nan(""), 0.0}), Error);
}

#else

TEST(Projection, SaysThatProjIsMissing) {
    EXPECT_THROW(Projection({135.0, 33.0}), Error);
}

#endif

}  // namespace
}  // namespace kaname::earth::projection_test
