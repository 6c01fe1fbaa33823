// SPDX-License-Identifier: BSD-3-Clause
// Faults with edges: slip around a block moves the block and nothing else, and a fold is the sum
// of its two rectangles.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/convergence/half_space.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::convergence::fold_test {
namespace {

using lanes::kLanes;

/// Faces of the lattice cells low..high, their plus side inside; open where it ends on z = 0.
std::vector<test::LatticeFault> around(const std::array<int, 3>& low,
                                       const std::array<int, 3>& high, int surface) {
    std::vector<test::LatticeFault> faults;
    for (int axis = 0; axis < 3; ++axis) {
        faults.push_back({axis, low[axis], low, high, true});
        if (axis < 2 || high[axis] != surface) {
            faults.push_back({axis, high[axis], low, high, false});
        }
    }
    return faults;
}

class SlippedBlock : public testing::TestWithParam<int> {};

TEST_P(SlippedBlock, MovesAloneAndWithoutStress) {
    device::set_threads(1);
    constexpr int kCells = 6;
    constexpr double kSize_m = 12e3;
    const int top = GetParam();
    test::BoxMesh box;
    box.cells = {kCells, kCells, kCells};
    box.low = {0.0, 0.0, -kSize_m};
    box.high = {kSize_m, kSize_m, 0.0};
    box.faults = around({2, 2, top - 2}, {4, 4, top}, kCells);
    const auto wavy = [](const Vec3& x) {
        const double a = 0.1 * std::sin(1e-3 * x.x) * std::sin(0.7e-3 * x.y + 0.3e-3 * x.z);
        return x + (2e3 * a) * Vec3{1.0, -0.8, x.z < 0.0 ? 0.6 : 0.0};
    };
    box.move = wavy;
    const mesh::TetMesh mesh = box.build();
    const auto cell_middle = [&](double i, double j, double k) {
        constexpr double kCell_m = kSize_m / kCells;
        return wavy({i * kCell_m, j * kCell_m, k * kCell_m - kSize_m});
    };
    const std::vector<Vec3> inside = {cell_middle(2.5, 2.5, top - 0.5),
                                      cell_middle(3.5, 2.5, top - 1.5),
                                      cell_middle(3.5, 3.5, top - 0.5)};
    const std::vector<Vec3> outside = {cell_middle(1.5, 2.5, top - 0.5),
                                       cell_middle(4.5, 4.5, top - 1.5),
                                       cell_middle(3.5, 3.5, top - 2.5)};
    const std::array<Vec3, kLanes> jump = {
        Vec3{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.3, -0.4, 0.5}};
    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {maxwell_rock()};
    for (const mesh::Side side : test::buried_sides()) {
        for (int comp = 0; comp < 3; ++comp) {
            run.conditions.push_back({side, comp});
        }
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        run.slip[lane] = [&jump, lane](const Vec3&) { return jump[lane]; };
    }
    run.grid = {0.5 * kMaxwellTime_s, 3, 0.5};
    run.params.cg.tolerance = 1e-12;
    run.places = p2::locate_points(mesh, inside);
    const auto others = p2::locate_points(mesh, outside);
    run.places.insert(run.places.end(), others.begin(), others.end());
    run.keep_stress = true;

    const auto history = test::run_pack(run);

    for (int step = 0; step <= 3; ++step) {
        for (int lane = 0; lane < kLanes; ++lane) {
            for (std::size_t k = 0; k < inside.size(); ++k) {
                EXPECT_LT(norm(history.at(step, k, lane) - jump[lane]), 1e-9) << step << ' ' << k;
                EXPECT_LT(norm(history.at(step, inside.size() + k, lane)), 1e-9)
                    << step << ' ' << k;
            }
        }
        const auto& stress = history.stress_pa[step];
        const double largest =
            std::abs(*std::max_element(stress.begin(), stress.end(), [](double a, double b) {
                return std::abs(a) < std::abs(b);
            }));
        EXPECT_LT(largest, 1e-8 * kModulus_pa / kSize_m) << "step " << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Top, SlippedBlock, testing::Values(4, 6), [](const auto& info) {
    return info.param == 6 ? "AtTheSurface" : "Buried";
});

/// A vertical fault from 4 to 8 km depth that goes on to the east, dipping 20 degrees. Lattice of
/// cells of size h; slip along strike, tapered over the arc of both parts.
struct Fold {
    static constexpr double kFold_m = 8e3;   ///< depth of the fold
    static constexpr double kReach_m = 8e3;  ///< extent of the lower part to the east of the fold
    Rectangle upper{16e3, 4e3, 4e3, 90.0};
    Rectangle lower{16e3, kReach_m / std::cos(20.0 * kDegree), kFold_m, 20.0, kReach_m / 2.0};

    [[nodiscard]] double amount(double s, double arc) const {
        const double along = std::cos(std::numbers::pi * s / upper.length_m);
        const double down = std::sin(std::numbers::pi * arc / (upper.width_m + lower.width_m));
        return along * along * down * down;
    }
    [[nodiscard]] Vec3 slip(const Vec3& x) const {
        constexpr double kRounding_m = 1.0;
        const double arc =
            x.x > kRounding_m ? upper.width_m + x.x / std::cos(lower.dip()) : -x.z - upper.top_m;
        return {0.0, amount(x.y, arc), 0.0};
    }
    [[nodiscard]] mesh::TetMesh mesh(double h) const {
        const auto cells = [h](double length) { return static_cast<int>(std::lround(length / h)); };
        test::BoxMesh box;
        box.cells = {cells(2.0 * kHalfWidth_m), cells(2.0 * kHalfWidth_m), cells(kDepth_m)};
        box.low = {-kHalfWidth_m, -kHalfWidth_m, -kDepth_m};
        box.high = {kHalfWidth_m, kHalfWidth_m, 0.0};
        const int i0 = cells(kHalfWidth_m);
        const int j0 = cells(kHalfWidth_m - 0.5 * upper.length_m);
        const int j1 = cells(kHalfWidth_m + 0.5 * upper.length_m);
        const int k0 = cells(kDepth_m - kFold_m);
        const int k1 = cells(kDepth_m - upper.top_m);
        box.faults = {{0, i0, {0, j0, k0}, {0, j1, k1}},
                      {2, k0, {i0, j0, 0}, {i0 + cells(kReach_m), j1, 0}}};
        // Tilts the level of the fold; surface and bottom stay.
        box.move = [slope = std::tan(lower.dip())](const Vec3& x) {
            const double depth = -x.z;
            const double weight =
                depth < kFold_m ? depth / kFold_m : (kDepth_m - depth) / (kDepth_m - kFold_m);
            const double tilt = slope * std::clamp(x.x, -kReach_m - 2e3, kReach_m + 2e3);
            return x - Vec3{0.0, 0.0, weight * tilt};
        };
        return box.build();
    }
};

TEST(FoldedFault, IsTheSumOfItsRectangles) {
    device::set_threads(1);
    const Fold fold;
    const VaryingSlip upper(
        fold.upper, [&](double s, double d) { return fold.amount(s, d); }, 16, 6);
    const VaryingSlip lower(
        fold.lower, [&](double s, double d) { return fold.amount(s, fold.upper.width_m + d); }, 16,
        12);
    const auto exact = [&](const Vec3& x) -> std::array<Vec3, 2> {
        return {upper.displacement(x)[0] + lower.displacement(x)[0], Vec3{}};
    };
    const auto slip = [&](const Vec3& x, int lane) { return lane == 0 ? fold.slip(x) : Vec3{}; };

    const LaneErrors coarse = coseismic_errors(fold.mesh(4e3), kVolume_m3, slip, exact);
    const LaneErrors fine = coseismic_errors(fold.mesh(2e3), kVolume_m3, slip, exact);

    RecordProperty("coarse", std::to_string(coarse.strike));
    RecordProperty("fine", std::to_string(fine.strike));
    EXPECT_LT(fine.strike, 3.1e-3);
    EXPECT_GT(observed_order(coarse.h, coarse.strike, fine.h, fine.strike), 2.3);
}

TEST(FoldedFault, JumpsByItsSlipOnBothParts) {
    device::set_threads(1);
    const Fold fold;
    const mesh::TetMesh mesh = fold.mesh(2e3);
    // At mid-edges and vertices, where the slip is not interpolated; a millimetre to either side.
    constexpr double kStep_m = 1e-3;
    const Vec3 normal_up{std::sin(fold.lower.dip()), 0.0, std::cos(fold.lower.dip())};
    const double slope = std::tan(fold.lower.dip());
    const std::vector<Vec3> on_fault = {{0.0, 1e3, -6e3},
                                        {0.0, -3e3, -7e3},
                                        {4e3, 2e3, -Fold::kFold_m - 4e3 * slope},
                                        {5e3, -1e3, -Fold::kFold_m - 5e3 * slope}};
    std::vector<Vec3> points;
    for (const Vec3& x : on_fault) {
        const Vec3 normal = x.x == 0.0 ? Vec3{1.0, 0.0, 0.0} : normal_up;
        points.push_back(x + kStep_m * normal);
        points.push_back(x - kStep_m * normal);
    }
    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {rock()};
    for (const mesh::Side side : test::buried_sides()) {
        for (int comp = 0; comp < 3; ++comp) {
            run.conditions.push_back({side, comp});
        }
    }
    run.slip[0] = [&](const Vec3& x) { return fold.slip(x); };
    run.params.cg.tolerance = 1e-4;  // the jump does not depend on it
    run.places = p2::locate_points(mesh, points);

    const auto history = test::run_pack(run);

    for (std::size_t k = 0; k < on_fault.size(); ++k) {
        const Vec3 jump = history.at(0, 2 * k, 0) - history.at(0, 2 * k + 1, 0);
        const Vec3 slip = fold.slip(on_fault[k]);
        EXPECT_GT(norm(slip), 0.1);
        EXPECT_LT(norm(jump - slip), 1e-6) << "at x " << on_fault[k].x << " y " << on_fault[k].y;
    }
}

}  // namespace
}  // namespace kaname::convergence::fold_test
