// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/fault/unit_source.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::slip_projection_test {
namespace {

constexpr double kCell_m = 1e3;

/// A box of 4 x 8 x 8 km whose middle plane x = 2 km is a fault of 8 x 8 cells of two triangles
/// each, stuck on its sides and bottom; s along y, d from the ground down.
struct Fixture {
    Fixture()
        : mesh(test::BoxMesh{
              .cells = {4, 8, 8},
              .high = {4 * kCell_m, 8 * kCell_m, 8 * kCell_m},
              .faults = {{.axis = 0, .index = 2, .low = {0, 0, 0}, .high = {0, 8, 8}}}}
                   .build()),
          dofs(mesh),
          split(split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)),
          triangles(fault_triangles(mesh, dofs, split)),
          projection(triangles, split.split.size()) {
        for (const FaultTriangle& triangle : triangles) {
            auto& at = coordinates.emplace_back();
            for (int k = 0; k < 6; ++k) {
                at[k] = place(dofs.node_xyz[triangle.nodes[k]]);
            }
        }
    }
    static FaultCoordinates place(const Vec3& x) { return {x.y, 8 * kCell_m - x.z}; }
    [[nodiscard]] std::vector<double> take(const Patch& patch) const {
        return projection.solve(patch_load(triangles, coordinates, split.split.size(), patch));
    }
    /// int s s^i d^j dA.
    [[nodiscard]] double moment(std::span<const double> amount, int i, int j) const {
        double sum = 0.0;
        for (const FaultTriangle& triangle : triangles) {
            // Degree two times two at most: quarters with the rule of edge middles are exact to
            // 1e-3 only, so an explicit product rule on 16 x 16 points of each triangle.
            constexpr int kPoints = 24;
            for (int a = 0; a < kPoints; ++a) {
                for (int b = 0; b < kPoints; ++b) {
                    const double u = (a + 0.5) / kPoints, v = (b + 0.5) / kPoints;
                    const auto phi = triangle_functions(u * (1.0 - v), v);
                    const auto& x = dofs.node_xyz;
                    const auto& n = triangle.nodes;
                    const FaultCoordinates at = place(
                        x[n[0]] + u * (1.0 - v) * (x[n[1]] - x[n[0]]) + v * (x[n[2]] - x[n[0]]));
                    double value = 0.0;
                    for (int k = 0; k < 6; ++k) {
                        value += triangle.split[k] < 0 ? 0.0 : phi[k] * amount[triangle.split[k]];
                    }
                    sum += 2.0 * triangle.area_m2 * (1.0 - v) / (kPoints * kPoints) * value *
                           std::pow(at.s, i) * std::pow(at.d, j);
                }
            }
        }
        return sum;
    }

    mesh::TetMesh mesh;
    p2::DofMap dofs;
    SplitNodes split;
    std::vector<FaultTriangle> triangles;
    SlipProjection projection;
    std::vector<std::array<FaultCoordinates, 6>> coordinates;
};

TEST(SlipProjection, KeepsTheMomentsOfARectangleThatElementsDoNotFollow) {
    const Fixture box;
    const double length = 2.7 * kCell_m, width = 1.9 * kCell_m, s = 4.13 * kCell_m,
                 d = 3.86 * kCell_m;

    const std::vector<double> amount = box.take({"p", {s, d}, length, width, Hat::Uniform});

    const double area = length * width;
    EXPECT_NEAR(box.moment(amount, 0, 0), area, 2e-3 * area);
    EXPECT_NEAR(box.moment(amount, 1, 0), area * s, 2e-3 * area * s);
    EXPECT_NEAR(box.moment(amount, 0, 1), area * d, 2e-3 * area * d);
    const double spread = box.moment(amount, 2, 0) - 2.0 * s * box.moment(amount, 1, 0) +
                          s * s * box.moment(amount, 0, 0);
    EXPECT_NEAR(spread, area * length * length / 12.0, 0.03 * area * length * length / 12.0);
}

TEST(SlipProjection, PotencyOfASmallPatchIsItsArea) {
    const Fixture box;
    const Patch patch{"p", {4.2 * kCell_m, 3.7 * kCell_m}, 30.0, 20.0, Hat::Uniform};
    const std::vector<earth::Material> materials(1);

    const auto sums = FaultSlip(box.mesh, box.dofs, box.split, materials).sums(box.take(patch));

    EXPECT_NEAR(sums.potency_m3, 600.0, 1.0);
}

TEST(SlipProjection, TakesAHatThatElementsFollowAsItIs) {
    const Fixture box;
    const Patch patch{"p", {4.0 * kCell_m, 3.0 * kCell_m}, kCell_m, 2.0 * kCell_m, Hat::Bilinear};

    const std::vector<double> amount = box.take(patch);

    for (std::size_t k = 0; k < amount.size(); ++k) {
        const auto at = Fixture::place(box.dofs.node_xyz[box.split.split[k].node]);
        EXPECT_NEAR(amount[k], patch.shape(at), 1e-9);
    }
}

TEST(SlipProjection, HatsOfAGridAddUpToOne) {
    const Fixture box;
    for (const Hat hat : {Hat::Bilinear, Hat::Bicubic}) {
        std::vector<double> sum(box.split.split.size(), 0.0);
        for (int i = -1; i <= 8; ++i) {
            for (int j = -3; j <= 8; ++j) {
                const std::vector<double> amount = box.take(
                    {"p", {(1.3 + i) * kCell_m, (0.6 + j) * kCell_m}, kCell_m, kCell_m, hat});
                std::ranges::transform(sum, amount, sum.begin(), std::plus<>());
            }
        }
        const double all = box.moment(sum, 0, 0);
        // Stuck sides and bottom take some of it; the middle has it all.
        EXPECT_LT(all, 64.0 * kCell_m * kCell_m);
        for (std::size_t k = 0; k < sum.size(); ++k) {
            const auto at = Fixture::place(box.dofs.node_xyz[box.split.split[k].node]);
            if (std::abs(at.s - 4.0 * kCell_m) < 1.1 * kCell_m && at.d < 4.0 * kCell_m) {
                EXPECT_NEAR(sum[k], 1.0, 2e-3);
            }
        }
    }
}

TEST(SlipProjection, SampledSlipIsThatOfThePatch) {
    const Fixture box;
    const Patch patch{
        "p", {4.13 * kCell_m, 3.86 * kCell_m}, 2.7 * kCell_m, 1.9 * kCell_m, Hat::Uniform};

    const auto load = sampled_load(
        box.triangles, box.dofs.node_xyz, box.split.split.size(),
        [&](const FaultTriangle&, const Vec3& x) {
            return Vec3{0.0, 0.0, patch.shape(Fixture::place(x))};
        },
        0.95 * kCell_m, 1.0);

    const std::vector<double> exact = box.take(patch);
    const std::vector<double> sampled = box.projection.solve(load[2]);
    for (std::size_t k = 0; k < exact.size(); ++k) {
        EXPECT_NEAR(sampled[k], exact[k], 0.02) << k;
    }
    EXPECT_EQ(box.projection.solve(load[0])[0], 0.0);
}

TEST(SlipProjection, SwingsByATenthBesideAJumpAndStopsSoon) {
    const Fixture box;
    const std::vector<double> amount =
        box.take({"p", {4.0 * kCell_m, 3.5 * kCell_m}, 4.0 * kCell_m, 3.0 * kCell_m, Hat::Uniform});

    double beyond = 0.0, far = 0.0;
    for (std::size_t k = 0; k < amount.size(); ++k) {
        const auto at = Fixture::place(box.dofs.node_xyz[box.split.split[k].node]);
        const double outside = std::max(std::abs(at.s - 4.0 * kCell_m) - 2.0 * kCell_m,
                                        std::abs(at.d - 3.5 * kCell_m) - 1.5 * kCell_m);
        beyond = outside > 0.1 * kCell_m ? std::max(beyond, std::abs(amount[k])) : beyond;
        far = outside > 1.1 * kCell_m ? std::max(far, std::abs(amount[k])) : far;
    }
    EXPECT_LT(beyond, 0.2);
    EXPECT_GT(beyond, 0.02);
    EXPECT_LT(far, 0.04);
}

}  // namespace
}  // namespace kaname::fault::slip_projection_test
