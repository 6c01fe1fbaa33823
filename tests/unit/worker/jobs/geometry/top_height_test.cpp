// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "worker/jobs/geometry/domain.hpp"

namespace kaname::jobs::top_height_test {
namespace {

double relief(double x, double y) {
    return 100.0 + 0.3 * x - 0.2 * y;
}

/// The top of n x n squares of 1 m, two triangles each; nothing below it.
mesh::TetMesh plate(int n) {
    mesh::TetMesh mesh;
    const auto id = [n](int i, int j) { return j * (n + 1) + i; };
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            mesh.xyz.push_back({double(i), double(j), relief(i, j)});
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            mesh.boundary_faces.push_back(
                {{id(i, j), id(i + 1, j), id(i + 1, j + 1)}, mesh::Side::Top});
            mesh.boundary_faces.push_back(
                {{id(i, j), id(i + 1, j + 1), id(i, j + 1)}, mesh::Side::Top});
            mesh.boundary_faces.push_back({{id(i, j), id(i + 1, j), id(i, j)}, mesh::Side::Bottom});
        }
    }
    return mesh;
}

TEST(TopHeight, FindsTheFaceOverEveryPlace) {
    const mesh::TetMesh mesh = plate(13);
    const TopHeight top(mesh);

    for (double y = 0.0; y <= 13.0; y += 0.25) {
        for (double x = 0.0; x <= 13.0; x += 0.3125) {
            ASSERT_TRUE(top.at(x, y)) << x << ' ' << y;
            EXPECT_NEAR(*top.at(x, y), relief(x, y), 1e-12);
        }
    }
}

TEST(TopHeight, KnowsNothingBesideTheTop) {
    const mesh::TetMesh mesh = plate(3);
    const TopHeight top(mesh);

    EXPECT_FALSE(top.at(-0.01, 1.0));
    EXPECT_FALSE(top.at(1.0, 3.01));
    EXPECT_FALSE(top.at(1e9, 1.0));
}

TEST(TopHeight, AMeshWithoutATopHasNone) {
    const mesh::TetMesh empty;

    EXPECT_FALSE(TopHeight(empty).at(0.0, 0.0));
}

}  // namespace
}  // namespace kaname::jobs::top_height_test
