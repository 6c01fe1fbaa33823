// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/complex.hpp"

#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/retriangulate.hpp"

namespace kaname::cleaving::complex_test {
namespace {

TEST(Complex, CompactForgetsRemovedTetsAndVerticesWithoutTets) {
    Complex complex;
    for (int v = 0; v < 6; ++v) {
        complex.xyz.push_back({1.0 * v, 0.0, 0.0});
        complex.walls.push_back(static_cast<Walls>(v));
        complex.on.push_back(static_cast<SheetMask>(10 + v));
        complex.labels.push_back({volume_bit(v)});
    }
    complex.tets = {{0, 1, 2, 3}, {-1, 1, 2, 4}, {5, 1, 2, 3}};
    complex.tet_labels = {{volume_bit(7)}, {volume_bit(8)}, {volume_bit(9)}};

    compact(complex);

    EXPECT_EQ(complex.tets, (std::vector<Tet>{{0, 1, 2, 3}, {4, 1, 2, 3}}));
    ASSERT_EQ(complex.tet_labels.size(), 2U);
    EXPECT_EQ(complex.tet_labels[1].volumes, volume_bit(9));
    ASSERT_EQ(complex.xyz.size(), 5U);
    EXPECT_EQ(complex.xyz[4].x, 5.0);
    EXPECT_EQ(complex.walls[4], 5);
    EXPECT_EQ(complex.on[4], 15U);
    EXPECT_EQ(complex.labels[4].volumes, volume_bit(5));
}

TEST(Complex, AnEdgeAcrossTheBoxLiesInNeitherOfTheSides) {
    Complex complex;
    complex.xyz = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    complex.walls = {7, 7, 7};

    EXPECT_EQ(common_walls(complex, 0, 1), 6);
    EXPECT_EQ(common_walls(complex, 0, 2), 3);
    complex.walls[0] = 8 | 1;
    complex.walls[2] = 8 | 16;
    EXPECT_EQ(common_walls(complex, 0, 2), 8) << "sides of a fault's outline have a bit each";
}

TEST(Stars, AreTheTetsOfEveryVertexAscending) {
    const std::vector<Tet> tets = {{0, 1, 2, 3}, {4, 1, 3, 2}, {0, 4, 5, 1}};
    const Stars stars(7, tets);
    const auto of = [&](int v) {
        return std::vector<std::int32_t>(stars.of(v).begin(), stars.of(v).end());
    };

    EXPECT_EQ(of(1), (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(of(0), (std::vector<std::int32_t>{0, 2}));
    EXPECT_EQ(of(5), (std::vector<std::int32_t>{2}));
    EXPECT_TRUE(of(6).empty());
}

TEST(RingFill, TakesTheTrianglesWhoseWorstIsBest) {
    // Fans from corner 2 of a ring of five are good, all other triangles bad.
    const auto value = [](std::size_t i, std::size_t j, std::size_t k) {
        return i == 2 || j == 2 || k == 2 ? 10.0 + static_cast<double>(i) : 1.0;
    };
    const RingFill fill(5, value);

    int triangles = 0;
    double worst = 1e9;
    fill.triangles([&](std::size_t i, std::size_t j, std::size_t k) {
        ++triangles;
        EXPECT_LT(i, j);
        EXPECT_LT(j, k);
        worst = std::min(worst, value(i, j, k));
    });
    EXPECT_EQ(triangles, 3);
    EXPECT_EQ(fill.quality(), 10.0);
    EXPECT_EQ(worst, 10.0);
}

}  // namespace
}  // namespace kaname::cleaving::complex_test
