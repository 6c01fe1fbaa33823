// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_slip.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/fault/unit_source.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::fault::fault_slip_test {
namespace {

constexpr double kCell_m = 1e3;

/// A box of 4 x 6 x 4 km whose middle plane x = 2 km is a fault: rows 0 to 3 up, columns 0 to 5
/// along y; soft below 2 km and beyond the fault.
struct Fixture {
    explicit Fixture(test::LatticeFault cut = whole())
        : mesh(test::BoxMesh{.cells = {4, 6, 4},
                             .high = {4 * kCell_m, 6 * kCell_m, 4 * kCell_m},
                             .faults = {cut},
                             .material =
                                 [](const Vec3& at) {
                                     return (at.z < 2 * kCell_m ? 1 : 0) +
                                            (at.x < 2 * kCell_m ? 0 : 2);
                                 }}
                   .build()),
          dofs(mesh),
          split(split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)) {
        materials.resize(4);
        materials[0].mu_pa = 30e9;  // upper, near
        materials[1].mu_pa = 60e9;  // lower, near
        materials[2].mu_pa = 20e9;  // upper, beyond
        materials[3].mu_pa = 10e9;  // lower, beyond
    }
    static test::LatticeFault whole() { return {.axis = 0, .index = 2, .high = {0, 6, 4}}; }
    template <class Amount>
    [[nodiscard]] std::vector<Vec3> slip(const Amount& amount) const {
        std::vector<Vec3> slip;
        for (const auto& [node, fault] : split.split) {
            slip.push_back({0.0, amount(dofs.node_xyz[node]), 0.0});
        }
        return slip;
    }
    template <class Amount>
    [[nodiscard]] FaultSlip::Sums sums(const Amount& amount) const {
        return fault_slip().sums(FaultSlip::amounts(slip(amount)));
    }
    [[nodiscard]] FaultSlip fault_slip() const { return {mesh, dofs, split, materials}; }

    mesh::TetMesh mesh;
    p2::DofMap dofs;
    SplitNodes split;
    std::vector<earth::Material> materials;
};

Vec3 fault_point(const Vec3& x) {
    return {x.y, 4 * kCell_m - x.z, 0.0};
}

TEST(FaultSlip, OfARectangleWithUniformSlipIsItsAreaTimesTheSlip) {
    const Fixture box;

    const FaultSlip::Sums sums = box.sums([](const Vec3&) { return 2.0; });

    EXPECT_NEAR(sums.area_m2, 24e6, 1e-6);
    EXPECT_NEAR(sums.potency_m3, 48e6, 1e-6);
}

TEST(FaultSlip, RigidityAcrossTwoLayersIsTheMeanOfSidesWeightedBySlip) {
    const Fixture box;

    const FaultSlip::Sums equal = box.sums([](const Vec3&) { return 1.0; });
    const FaultSlip::Sums upper =
        box.sums([](const Vec3& x) { return x.z > 2 * kCell_m ? 1.0 : 0.0; });

    // (30 + 20) / 2 above, (60 + 10) / 2 below, in equal parts.
    EXPECT_NEAR(equal.rigidity_pa(), 30e9, 1e-3);
    EXPECT_NEAR(equal.moment_nm, 30e9 * 24e6, 1e3);
    EXPECT_NEAR(equal.softer_moment_nm, 15e9 * 24e6, 1e3);
    EXPECT_NEAR(upper.rigidity_pa(), 25e9, 1e-3);
}

TEST(FaultSlip, BuriedRimTakesASixthOfACellFromEveryEdge) {
    const Fixture box({.axis = 0, .index = 2, .low = {0, 1, 0}, .high = {0, 5, 4}});

    const FaultSlip::Sums sums = box.sums([](const Vec3&) { return 1.0; });

    // Along each row: 1 in the middle of the last cell's edges, 0 on the rim.
    EXPECT_NEAR(sums.area_m2, 16e6, 1e-6);
    EXPECT_NEAR(sums.potency_m3, (4.0 - 2.0 / 6.0) * 4e6, 1e-6);
}

TEST(FaultSlip, PotencyOfAHatIsTheAreaOfItsPatch) {
    const Fixture box;
    const auto potency = [&](const Patch& patch) {
        return box.sums([&](const Vec3& x) {
            const Vec3 at = fault_point(x);
            return patch.shape({at.x, at.y});
        });
    };

    const auto bilinear =
        potency({"p", {3 * kCell_m, 2 * kCell_m}, kCell_m, kCell_m, Hat::Bilinear});
    const auto wide =
        potency({"p", {3 * kCell_m, 2 * kCell_m}, 2 * kCell_m, kCell_m, Hat::Bilinear});

    // int (1 - |s|/L) (1 - |d|/W) = L W on the 2 L x 2 W that slip: a quarter of them.
    EXPECT_NEAR(bilinear.potency_m3, 1e6, 1e-6);
    EXPECT_NEAR(bilinear.area_m2, 4e6, 1e-6);
    EXPECT_NEAR(wide.potency_m3, 2e6, 1e-6);
    EXPECT_NEAR(wide.area_m2, 8e6, 1e-6);
}

TEST(FaultSlip, AmountsThatSwingAboutZeroCountWithTheirSign) {
    const Fixture box;
    std::vector<double> amount = FaultSlip::amounts(box.slip([](const Vec3&) { return 1.0; }));
    const double all = box.fault_slip().sums(amount).potency_m3;
    for (std::size_t k = 0; k < amount.size(); ++k) {
        amount[k] = box.dofs.node_xyz[box.split.split[k].node].y > 3 * kCell_m ? -amount[k] : 0.0;
    }

    EXPECT_NEAR(box.fault_slip().sums(amount).potency_m3, -(3.0 - 1.0 / 6.0) / 6.0 * all, 1e-6);
}

TEST(FaultSlip, WithoutSlipThereIsNoRigidity) {
    const Fixture box;

    const FaultSlip::Sums sums = box.sums([](const Vec3&) { return 0.0; });

    EXPECT_EQ(sums.area_m2, 0.0);
    EXPECT_EQ(sums.potency_m3, 0.0);
    EXPECT_TRUE(std::isnan(sums.rigidity_pa()));
}

TEST(FaultSlip, NeighboursSlipBesideEachOtherInMuchTheSameDirection) {
    const Fixture box;
    // Blocks of slip two cells long, and one of them again in another direction.
    const auto block = [&](double from_km, double to_km, const Vec3& along) {
        std::vector<Vec3> slip = box.slip([&](const Vec3& x) {
            return x.y >= from_km * kCell_m && x.y < to_km * kCell_m ? 1.0 : 0.0;
        });
        for (Vec3& s : slip) {
            s = norm(s) * along;
        }
        return FaultSlip::support(slip);
    };
    const Vec3 strike = {0.0, 1.0, 0.0}, dip = {0.0, 0.0, 1.0};
    const std::vector<FaultSlip::Support> sources = {block(0, 2, strike), block(2, 4, strike),
                                                     block(4, 7, strike), block(2, 4, dip),
                                                     block(3, 5, {0.0, 0.8, 0.6})};

    const auto neighbours = box.fault_slip().neighbours(sources);

    using List = std::vector<std::int32_t>;
    EXPECT_EQ(neighbours[0], (List{1}));
    EXPECT_EQ(neighbours[1], (List{0, 2, 4}));
    EXPECT_EQ(neighbours[2], (List{1, 4}));
    EXPECT_EQ(neighbours[3], (List{}));
    EXPECT_EQ(neighbours[4], (List{1, 2}));
}

}  // namespace
}  // namespace kaname::fault::fault_slip_test
