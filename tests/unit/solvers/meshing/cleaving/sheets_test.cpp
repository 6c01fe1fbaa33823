// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::sheets_test {
namespace {

const meshing::Box kBox = {100e3, 100e3, 50e3, 90.0 * kDegree};

double wavy(double u, double v) {
    return -10e3 + 2e3 * std::sin(u / 15e3) * std::cos(v / 20e3);
}

FaultRequest plane(const Vec3& point, const Vec3& normal) {
    FaultRequest fault;
    fault.plane = {point, normal};
    return fault;
}

/// Ground, a wavy surface, one that crosses it, and a vertical plane at u = 5 km.
struct Model {
    std::shared_ptr<earth::VolumeModel> model =
        test::layers_under(earth::HeightField(0.0),
                           {test::height(wavy, 60e3),
                            test::height([](double u, double) { return -10e3 + 0.1 * u; }, 60e3)});
    // The box's east, u, is the map's south.
    std::vector<FaultRequest> faults = {plane({0.0, -5e3, 0.0}, {0.0, -2.0, 0.0})};
    Sheets sheets{model, faults, kBox};
};

TEST(Sheets, PlanesAreTurnedIntoTheBoxAndDistancesAreAlongNormals) {
    const Model m;

    ASSERT_EQ(m.sheets.count(), 4);
    EXPECT_EQ(m.sheets.of_fault(0), 3);
    EXPECT_NEAR(m.sheets.above(3, {7e3, 123.0, -9e3}), 2e3, 1e-9);
    EXPECT_NEAR(m.sheets.distance_m(3, {1e3, 0.0, 0.0}), -4e3, 1e-9);
    EXPECT_NEAR(m.sheets.above(2, {10e3, 0.0, -8e3}), 1e3, 1e-6);
    EXPECT_NEAR(m.sheets.distance_m(2, {10e3, 0.0, -8e3}), 1e3 / std::sqrt(1.01), 1e-6);
}

TEST(Sheets, ProjectionLiesOnTheSheetCloseByAndKeepsWalls) {
    const Model m;
    const Vec3 x{12e3, -7e3, -9.5e3};
    for (int sheet = 0; sheet < 4; ++sheet) {
        const double away = std::abs(m.sheets.distance_m(sheet, x));
        const Vec3 on = m.sheets.project(sheet, x, 0);
        EXPECT_NEAR(m.sheets.above(sheet, on), 0.0, 1e-9) << sheet;
        EXPECT_LT(norm(on - x), 1.05 * away + 1e-9) << sheet;
    }
    const Vec3 held = m.sheets.project(1, x, Walls{1});
    EXPECT_EQ(held.x, x.x);
    EXPECT_NEAR(m.sheets.above(1, held), 0.0, 1e-9);
    const Vec3 flat = m.sheets.project(2, x, Walls{4});
    EXPECT_EQ(flat.z, x.z);
    EXPECT_NEAR(m.sheets.above(2, flat), 0.0, 1e-6);
    EXPECT_EQ(m.sheets.project(3, x, Walls{1}), x) << "only the wall's axis would help";
}

TEST(Sheets, ProjectionOntoSeveralMeetsThemAllOrSaysNo) {
    const Model m;
    constexpr SheetMask kBoth = 1U << 1 | 1U << 2;
    Vec3 x{1e3, 20e3, -10.5e3};  // the wavy one is level at v = 20 km * pi / 2 only
    const Vec3 start = x;

    ASSERT_TRUE(m.sheets.project_all(kBoth, x, 0, 5e3));
    EXPECT_LT(std::abs(m.sheets.distance_m(1, x)), 100.0);
    EXPECT_LT(std::abs(m.sheets.distance_m(2, x)), 100.0);
    EXPECT_LE(norm(x - start), 5e3);

    x = start;
    EXPECT_FALSE(m.sheets.project_all(kBoth, x, 0, 1.0)) << "too far";
    EXPECT_EQ(x, start);
    constexpr SheetMask kParallel = 1U << 0 | 1U << 1;
    EXPECT_FALSE(m.sheets.project_all(kParallel, x, 0, 1e5)) << "they do not meet";
    EXPECT_EQ(x, start);
    EXPECT_TRUE(m.sheets.project_all(0, x, 0, 0.0));
}

TEST(Sheets, CrossingIsWhereTheSegmentMeetsTheSheet) {
    const Model m;
    const Vec3 p{-3e3, 4e3, -4e3}, q{6e3, -8e3, -16e3};
    for (int sheet = 1; sheet < 4; ++sheet) {
        for (const auto& [from, to] : {std::pair(p, q), std::pair(q, p)}) {
            const double t = m.sheets.crossing(sheet, from, to);
            ASSERT_GT(t, 0.0);
            ASSERT_LT(t, 1.0);
            const double scale = std::abs(m.sheets.above(sheet, p) - m.sheets.above(sheet, q));
            EXPECT_LT(std::abs(m.sheets.above(sheet, from + t * (to - from))), 2e-4 * scale);
        }
    }
}

TEST(Sheets, VolumesThatMeetAreThoseOnAllSidesOfTheSheets) {
    const Model m;
    const auto at = [&](const Vec3& x, SheetMask on) {
        return ThinLayers(m.sheets.model()).volumes_at(x, on);
    };
    constexpr SheetMask kGround = 1, kFirst = 2, kSecond = 4, kPlane = 8;

    // At u = 30 km, v = 0 the first surface is at -8.2 km and the second at -7 km.
    EXPECT_EQ(at({30e3, 0.0, -1e3}, 0), volume_bit(0));
    EXPECT_EQ(at({30e3, 0.0, -1e3}, kGround), volume_bit(0) | kAirBit);
    EXPECT_EQ(at({30e3, 0.0, -9e3}, 0), volume_bit(2)) << "what crosses from below gives way";
    EXPECT_EQ(at({30e3, 0.0, -8.2e3}, kFirst), volume_bit(0) | volume_bit(2));
    EXPECT_EQ(at({30e3, 0.0, -8.2e3}, kFirst | kSecond),
              volume_bit(0) | volume_bit(1) | volume_bit(2));
    EXPECT_EQ(at({30e3, 0.0, -1e3}, kPlane), volume_bit(0)) << "planes bound no volume";
    EXPECT_EQ(at({30e3, 0.0, 1e3}, 0), kAirBit);
}

TEST(Sheets, GroundComesFirstThenFaultsThenSurfacesAsVolumesNameThem) {
    auto model = test::layers({-10e3, -20e3, -30e3});
    std::swap(model->volumes[0], model->volumes[1]);  // the second surface is named first
    std::vector<FaultRequest> faults(1);
    faults[0].surface = 3;
    faults.push_back(plane({}, {1.0, 0.0, 0.0}));
    const Sheets sheets(model, faults, kBox);

    const std::vector<int> in_order = {0, 3, 4, 2, 1};
    for (std::size_t k = 0; k + 1 < in_order.size(); ++k) {
        EXPECT_LT(sheets.rank(in_order[k]), sheets.rank(in_order[k + 1]));
    }
    EXPECT_EQ(sheets.precedence(0), 0);
    EXPECT_LT(sheets.precedence(0), sheets.precedence(3));
    EXPECT_LT(sheets.precedence(3), sheets.precedence(4));
    EXPECT_LT(sheets.precedence(4), sheets.precedence(1));
    EXPECT_EQ(sheets.precedence(1), sheets.precedence(2));
    EXPECT_EQ(sheets.precedence(-1), sheets.precedence(1)) << "where no sheet crosses";
}

}  // namespace
}  // namespace kaname::cleaving::sheets_test
