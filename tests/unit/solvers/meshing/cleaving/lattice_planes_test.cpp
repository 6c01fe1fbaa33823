// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving::lattice_planes_test {
namespace {

/// Ten roots of 100 m along each axis, from -500 m up to 500 m and from the depth of 1 km.
const Octree::Roots kRoots{{-500.0, -500.0, -1000.0}, {100.0, 100.0, 100.0}, {10, 10, 10}};

TEST(LatticePlanes, PutTheNearestPlaneOfTheCubesAtEachPlace) {
    // Sizes of 50 m: cubes are halved once, so 12 m lies nearest to the plane at 0.
    const LatticePlanes planes({50.0, {{{12.0, -230.0}, {}, {-980.0}}}}, kRoots);

    EXPECT_EQ(planes({0.0, 7.0, 0.0}), (Vec3{12.0, 7.0, 0.0}));
    EXPECT_EQ(planes({-250.0, 0.0, 0.0}).x, -230.0);
    // Half-way between two of them, and between the last and the box's side.
    EXPECT_NEAR(planes({-125.0, 0.0, 0.0}).x, 0.5 * (12.0 - 230.0), 1e-9);
    EXPECT_NEAR(planes({250.0, 0.0, 0.0}).x, 0.5 * (12.0 + 500.0), 1e-9);
    EXPECT_EQ(planes({500.0, -500.0, -1000.0}), (Vec3{500.0, -500.0, -1000.0}));
    // 20 m above the bottom there is no plane but the bottom.
    EXPECT_EQ(planes({0.0, 0.0, -950.0}).z, -950.0);
    EXPECT_FALSE(planes.none());
}

TEST(LatticePlanes, OfTwoThatAreTooCloseTheFirstIsMet) {
    const LatticePlanes planes({50.0, {{{12.0, 20.0}, {}, {}}}}, kRoots);
    EXPECT_EQ(planes({0.0, 0.0, 0.0}).x, 12.0);
    EXPECT_GT(planes({50.0, 0.0, 0.0}).x, 45.0);

    EXPECT_TRUE(LatticePlanes({50.0, {}}, kRoots).none());
}

}  // namespace
}  // namespace kaname::cleaving::lattice_planes_test
