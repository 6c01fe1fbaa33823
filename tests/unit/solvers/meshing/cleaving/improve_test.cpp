// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/improve.hpp"

#include <gtest/gtest.h>

#include "tests/unit/solvers/meshing/cleaving/cut_complex.hpp"

namespace kaname::cleaving::improve_test {
namespace {

constexpr double kEdge = 2 * kHalf_m / 8;

/// A vertex near the middle of the box, on the sheet or not.
std::int32_t middle_vertex(const Complex& complex, bool on_sheet) {
    std::int32_t nearest = -1;
    double least = 1e99;
    for (std::size_t v = 0; v < complex.xyz.size(); ++v) {
        const double away = norm(complex.xyz[v] - Vec3{0.0, 0.0, -kHalf_m});
        if ((complex.on[v] != 0) == on_sheet && complex.walls[v] == 0 && away < least) {
            least = away;
            nearest = static_cast<std::int32_t>(v);
        }
    }
    return nearest;
}

struct Cut {
    std::shared_ptr<earth::VolumeModel> model = test::layers({-46e3});
    Sheets sheets{model, {}, kCubeBox};
    Complex complex = cut_cube(Labeller(sheets, {}), 8);
};

TEST(Improve, RepairsInvertedTetsWithoutLeavingTheSheet) {
    Cut cut;
    const double volume = volume_of(cut.complex, 0);
    for (const bool on_sheet : {true, false}) {
        // Beyond its neighbours.
        cut.complex.xyz[middle_vertex(cut.complex, on_sheet)] += {1.2 * kEdge, 0.7 * kEdge, 0.0};
    }
    ASSERT_LT(least_shape_deg(cut.complex.xyz, cut.complex.tets), 0.0);

    const Improvement result = improve(cut.complex, cut.sheets, 15.0, 9.0, [](double) {});

    EXPECT_GT(result.bad_before, 0);
    EXPECT_EQ(result.bad_after, 0);
    EXPECT_EQ(result.released, 0);
    EXPECT_TRUE(result.stuck.empty());
    EXPECT_GE(least_shape_deg(cut.complex.xyz, cut.complex.tets), 15.0);
    EXPECT_NEAR(volume_of(cut.complex, 0), volume, 1e-9 * volume);
    EXPECT_TRUE(conforms(cut.complex.xyz, cut.complex.walls, cut.complex.tets));
}

TEST(Improve, LeavesAGoodMeshAlone) {
    Cut cut;
    (void)improve(cut.complex, cut.sheets, 15.0, 9.0, [](double) {});
    const Complex before = cut.complex;

    const Improvement again = improve(cut.complex, cut.sheets, 15.0, 9.0, [](double) {});

    EXPECT_EQ(again.rounds, 0);
    EXPECT_EQ(cut.complex.xyz, before.xyz);
    EXPECT_EQ(cut.complex.tets, before.tets);
}

TEST(Smooth, AVertexStaysOnItsSheetAndWallsAndWithinItsFreedom) {
    Cut cut;
    const std::int32_t v = middle_vertex(cut.complex, true);
    const Vec3 good = cut.complex.xyz[v];
    const Vec3 moved = good + Vec3{0.35 * kEdge, 0.2 * kEdge, 0.0};
    const Stars stars(cut.complex.xyz.size(), cut.complex.tets);
    const auto smoothed = [&](const Freedom& freedom, Walls walls) {
        cut.complex.xyz[v] = moved;
        cut.complex.walls[v] = walls;
        (void)smooth_vertex(cut.complex, cut.sheets, stars, v, freedom);
        return cut.complex.xyz[v];
    };

    const Vec3 on_sheet = smoothed({}, 0);
    EXPECT_EQ(on_sheet.z, -46e3);
    EXPECT_NE(on_sheet, moved);
    EXPECT_EQ(smoothed({}, 1).x, moved.x);
    EXPECT_EQ(smoothed({}, 8), moved) << "held by a fault's rim";
    EXPECT_LE(std::abs(smoothed({0.1, 0.0}, 0).z + 46e3), 0.2 * kEdge);
    EXPECT_EQ(smoothed({0.0, 0.4}, 0).z, -46e3) << "that is for the ground and faults";
}

}  // namespace
}  // namespace kaname::cleaving::improve_test
