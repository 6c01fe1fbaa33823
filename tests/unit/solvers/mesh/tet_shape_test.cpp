// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/tet_shape.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace kaname::mesh {
namespace {

TEST(TetShape, InsphereAndLongestEdgeOfARegularTet) {
    // Every other corner of the unit cube: edges of sqrt(2).
    const Corners regular{Vec3{0, 0, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 1}, Vec3{1, 0, 1}};

    EXPECT_NEAR(longest_edge_m(regular), std::sqrt(2.0), 1e-15);
    EXPECT_NEAR(insphere_diameter_m(regular), std::sqrt(2.0) / std::sqrt(6.0), 1e-15);
}

TEST(TetShape, InsphereTouchesTheFourFacesOfACorner) {
    // x, y, z >= 0, x + y + z <= 1 is touched at r where (1 - 3 r) / sqrt(3) = r.
    const Corners corner{Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

    EXPECT_NEAR(insphere_diameter_m(corner), 2.0 / (3.0 + std::sqrt(3.0)), 1e-15);
    EXPECT_NEAR(longest_edge_m(corner), std::sqrt(2.0), 1e-15);
}

}  // namespace
}  // namespace kaname::mesh
