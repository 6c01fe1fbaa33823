// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/warp.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/solvers/meshing/cleaving/cut_complex.hpp"

namespace kaname::cleaving::warp_test {
namespace {

constexpr int kCells = 10;
constexpr double kEdge = 2 * kHalf_m / kCells;

double tilted(double u, double v) {
    return -43e3 + 0.2 * u - 0.11 * v;
}

TEST(Warp, VerticesCloseToASheetMoveOntoItAndCutsStayAwayFromEnds) {
    const auto model = test::layers_under(earth::HeightField(0.0), {test::height(tilted, 60e3)});
    const Sheets sheets(model, {}, kCubeBox);
    const Labeller labeller(sheets, {});
    Complex complex = labelled_cube(labeller, kCells);
    const Complex before = complex;

    warp(complex, labeller, {}, {kEdge, kEdge, kEdge});

    int moved = 0;
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        const Vec3& x = complex.xyz[v];
        EXPECT_LE(norm(x - before.xyz[v]), 0.41 * kEdge);
        for (int axis = 0; axis < 3; ++axis) {
            if ((complex.walls[v] >> axis & 1U) != 0) {
                EXPECT_EQ(x[axis], before.xyz[v][axis]);
            }
        }
        if (complex.on[v] != 0) {
            EXPECT_EQ(complex.on[v], 2U);
            EXPECT_NEAR(x.z, tilted(x.x, x.y), 1e-6);
            EXPECT_EQ(complex.labels[v].volumes, volume_bit(0) | volume_bit(1));
            ++moved;
        } else {
            EXPECT_EQ(x, before.xyz[v]);
        }
    }
    EXPECT_GT(moved, 50);
    for (const Conflict& conflict : find_conflicts(complex, labeller, {})) {
        EXPECT_EQ(conflict.sheet, 1);
        EXPECT_GT(std::min(conflict.t, 1.0 - conflict.t), 0.1);
        const Vec3 x = complex.xyz[conflict.p] +
                       conflict.t * (complex.xyz[conflict.q] - complex.xyz[conflict.p]);
        EXPECT_NEAR(x.z, tilted(x.x, x.y), 2.0);
    }
    EXPECT_NEAR(total_volume(complex.xyz, complex.tets), 8e15 / 8, 1e3);
    EXPECT_GT(least_shape_deg(complex.xyz, complex.tets), 0.0);
}

TEST(Warp, TheTopOfALatticeInTheAirComesDownToTheGround) {
    // Ground under a kilometre of air at most: within the reach of the lattice's topmost vertices.
    const auto ground = [](double u, double v) {
        return -700.0 + 300.0 * std::sin((u + v) / 20e3);
    };
    const auto model = test::layers_under(test::height(ground, 60e3), {});
    const Sheets sheets(model, {}, kCubeBox);
    const Labeller labeller(sheets, {});
    Complex complex = labelled_cube(labeller, kCells, 0.0);

    warp(complex, labeller, {}, {kEdge, kEdge, kEdge});

    int top = 0;
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        if (complex.labels[v].volumes == (kAirBit | volume_bit(0))) {
            EXPECT_EQ(complex.on[v], 1U);
            EXPECT_NEAR(sheets.above(0, complex.xyz[v]), 0.0, 1e-6);
            ++top;
        }
    }
    EXPECT_GE(top, (kCells + 1) * (kCells + 1));
    EXPECT_TRUE(find_conflicts(complex, labeller, {}).empty());
}

TEST(Warp, NothingHappensWhereItIsCalm) {
    const auto model = test::layers({-43e3});
    const Sheets sheets(model, {}, kCubeBox);
    const Labeller labeller(sheets, {});
    Complex complex = labelled_cube(labeller, kCells);
    const Complex before = complex;
    const UnresolvedRegions everywhere{{{{0.0, 0.0, -50e3}, 200e3}}};
    const UnresolvedRegions corner{{{{kHalf_m, kHalf_m, -43e3}, 25e3}}};

    warp(complex, labeller, everywhere, {kEdge, kEdge, kEdge});
    EXPECT_EQ(complex.xyz, before.xyz);
    EXPECT_TRUE(find_conflicts(complex, labeller, everywhere).empty());

    const auto all = find_conflicts(complex, labeller, {});
    const auto outside = find_conflicts(complex, labeller, corner);
    EXPECT_GT(outside.size(), 0U);
    EXPECT_LT(outside.size(), all.size());
    for (const Conflict& conflict : outside) {
        EXPECT_FALSE(corner.holds(0.5 * (complex.xyz[conflict.p] + complex.xyz[conflict.q])));
    }
}

}  // namespace
}  // namespace kaname::cleaving::warp_test
