// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/mesh/face_set.hpp"

namespace kaname::mesh::orient_surface_test {
namespace {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

TEST(OrientSurface, NeighboursFollowTheFirstTriangleOfTheirPiece) {
    const std::vector<Vec3> xyz = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {5, 0, 0}, {6, 0, 0}, {6, 1, 0}};
    Triangles triangles = {{0, 1, 2}, {0, 3, 2}, {6, 5, 4}};

    const auto piece = orient_surface(triangles, xyz);

    EXPECT_EQ(triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {6, 5, 4}}));
    EXPECT_EQ(piece, (std::vector<std::int32_t>{0, 0, 1}));
}

TEST(OrientSurface, NamesThePlaceWhereASurfaceBranches) {
    const std::vector<Vec3> xyz = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    Triangles triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};

    try {
        orient_surface(triangles, xyz);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "3 triangles share the edge at (1.000, 0.000, 0.000) m, must be at most two: "
                     "where a surface branches, make each branch a physical "
                     "surface of its own");
    }
}

TEST(OrientSurface, RefusesASurfaceOfOneSide) {
    // A band of triangles that closes after half a turn: five vertices, each in three triangles.
    std::vector<Vec3> xyz;
    for (int k = 0; k < 5; ++k) {
        xyz.push_back({std::cos(k * 1.2566), std::sin(k * 1.2566), 0.1 * k});
    }
    Triangles triangles = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}};

    EXPECT_THROW(orient_surface(triangles, xyz), Error);
}

}  // namespace
}  // namespace kaname::mesh::orient_surface_test
