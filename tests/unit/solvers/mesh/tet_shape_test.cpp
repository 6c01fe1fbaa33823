// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::mesh::tet_shape_test {
namespace {

TEST(TetShape, LongestEdge) {
    EXPECT_NEAR(longest_edge_m({Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 1.5}}), 2.5,
                1e-15);
}

TEST(TetShape, VolumeAndSizeOfARegularTet) {
    // Every other corner of the unit cube: edges of sqrt(2).
    const Corners regular{Vec3{0, 0, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 1}, Vec3{1, 0, 1}};

    EXPECT_NEAR(volume_of(regular), 1.0 / 3.0, 1e-15);
    EXPECT_NEAR(regular_edge_m(volume_of(regular)), std::sqrt(2.0), 1e-15);
    EXPECT_NEAR(longest_edge_m(regular), std::sqrt(2.0), 1e-15);
}

}  // namespace
}  // namespace kaname::mesh::tet_shape_test
