// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/placed_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "tests/support/okada.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::placed_model_test {
namespace {

SlipModel one_patch(double rake_deg, double strike_deg = 0.0, double dip_deg = 45.0) {
    SlipModel model;
    model.geographic = false;
    model.segments = {{strike_deg, dip_deg}};
    SlipPatch patch;
    patch.depth_m = 5000.0;
    patch.length_m = 10e3;
    patch.width_m = 8e3;
    patch.strike_deg = strike_deg;
    patch.dip_deg = dip_deg;
    patch.rake_deg = rake_deg;
    patch.slip_m = 1.0;
    model.patches = {patch};
    return model;
}

/// Top start, top end, bottom end, bottom start along strike.
std::array<Vec3, 4> corners_of(const PlacedPatch& patch) {
    const Vec3 along = (0.5 * patch.length_m) * patch.along_strike();
    const Vec3 down = (0.5 * patch.width_m) * patch.down_dip();
    return {patch.centre - along - down, patch.centre + along - down, patch.centre + along + down,
            patch.centre - along + down};
}

/// Displacement of the free surface: the sum of Okada's rectangles.
Vec3 surface_motion(const PlacedModel& model, const Vec3& x) {
    Vec3 sum;
    for (const PlacedPatch& patch : model.patches) {
        const auto corners = corners_of(patch);
        const test::OkadaFault fault = {0.5 * (corners[0] + corners[1]), patch.strike_rad,
                                        patch.dip_rad, patch.length_m, patch.width_m};
        const test::OkadaSlip slip = {dot(patch.slip_m, patch.along_strike()),
                                      -1.0 * dot(patch.slip_m, patch.down_dip()),
                                      dot(patch.slip_m, patch.normal())};
        sum += test::okada_displacement(fault, slip, test::okada_medium(30e9, 30e9), x);
    }
    return sum;
}

// Strike north, so the fault dips east and the hanging wall lies east of its trace.
TEST(PlacedModel, RakesOfNinetyDegreesLiftOrDropTheHangingWall) {
    const PlacedModel thrust = place(one_patch(90.0), Vec3{});
    const PlacedModel normal = place(one_patch(-90.0), Vec3{});

    EXPECT_NEAR(norm(thrust.patches[0].slip_m - Vec3{-std::sqrt(0.5), 0.0, std::sqrt(0.5)}), 0.0,
                1e-12);
    EXPECT_GT(surface_motion(thrust, {0.0, 0.0, 0.0}).z, 0.1);
    EXPECT_LT(surface_motion(normal, {0.0, 0.0, 0.0}).z, -0.1);
    // Thrust shortens the map across strike: the footwall moves east, the hanging wall west.
    EXPECT_GT(surface_motion(thrust, {-10e3, 0.0, 0.0}).x, 0.01);
    EXPECT_LT(surface_motion(thrust, {12e3, 0.0, 0.0}).x, -0.01);
}

TEST(PlacedModel, RakeZeroIsLeftLateral) {
    // Seen from the west side, the east side of a left-lateral fault towards north moves left:
    // north.
    const PlacedModel left = place(one_patch(0.0, 0.0, 90.0), Vec3{});
    const PlacedModel right = place(one_patch(180.0, 0.0, 90.0), Vec3{});

    EXPECT_GT(surface_motion(left, {3e3, 0.0, 0.0}).y, 0.05);
    EXPECT_LT(surface_motion(left, {-3e3, 0.0, 0.0}).y, -0.05);
    EXPECT_LT(surface_motion(right, {3e3, 0.0, 0.0}).y, -0.05);
}

TEST(PlacedModel, RealEarthquakesMoveTheRightWay) {
    // Antofagasta 1995: thrust that dips east under the coast; the shelf above the upper edge
    // rises.
    const earth::Projection chile({-70.5, -23.8});
    const PlacedModel thrust =
        fault::place_on_map(read_slip_model(real_file("antofagasta1995_usgs.fsp")), chile);
    const earth::MapPoint trench_side = chile.forward({-71.0, -23.9});
    EXPECT_GT(surface_motion(thrust, {trench_side.x_m, trench_side.y_m, 0.0}).z, 0.3);
    const earth::MapPoint inland = chile.forward({-69.0, -23.9});
    EXPECT_LT(surface_motion(thrust, {inland.x_m, inland.y_m, 0.0}).x, -0.05);
    // Wharton basin 2016: left-lateral on a fault towards north: its east side moves north.
    const earth::Projection ocean({94.2, -4.9});
    const PlacedModel strike_slip =
        fault::place_on_map(read_slip_model(real_file("wharton2016_usgs.fsp")), ocean);
    EXPECT_GT(surface_motion(strike_slip, {15e3, 0.0, 0.0}).y, 0.3);
    EXPECT_LT(surface_motion(strike_slip, {-15e3, 0.0, 0.0}).y, -0.3);
    // Samos 2020: normal faulting, the hanging wall drops.
    const earth::Projection aegean({26.8, 37.8});
    const PlacedModel normal =
        fault::place_on_map(read_slip_model(real_file("samos2020_okuwaki.fsp")), aegean);
    double lowest = 0.0;
    for (double y = -40e3; y <= 40e3; y += 5e3) {
        lowest = std::min(lowest, surface_motion(normal, {0.0, y, 0.0}).z);
    }
    EXPECT_LT(lowest, -0.2);
}

TEST(PlacedModel, CornersLieAroundTheCentre) {
    const PlacedPatch patch = place(one_patch(0.0, 90.0, 30.0), Vec3{100.0, 200.0, 0.0}).patches[0];

    const auto corners = corners_of(patch);

    // Strike east, dip south: the upper edge is the northern one, from west to east.
    EXPECT_NEAR(
        norm(corners[0] - Vec3{100.0 - 5e3, 200.0 + 4e3 * std::cos(30.0 * kDegree), -5e3 + 2e3}),
        0.0, 1e-9);
    EXPECT_NEAR(norm(corners[1] - corners[0] - Vec3{10e3, 0.0, 0.0}), 0.0, 1e-9);
    EXPECT_NEAR(corners[2].z, -7000.0, 1e-9);
}

TEST(PlacedModel, StrikesTurnWithTheMeridians) {
    SlipModel model = one_patch(0.0, 30.0);
    model.geographic = true;
    model.patches[0].lon_deg = 145.0;
    model.patches[0].lat_deg = 38.0;
    const earth::Projection projection({140.0, 38.0});

    const PlacedModel placed = fault::place_on_map(model, projection);

    const double turn = projection.convergence({145.0, 38.0});
    EXPECT_GT(std::abs(turn), 2.0 * kDegree);
    EXPECT_NEAR(placed.patches[0].strike_rad, 30.0 * kDegree + turn, 1e-12);
    EXPECT_NEAR(placed.segments[0].strike_rad, 30.0 * kDegree + turn, 1e-12);
    EXPECT_NEAR(placed.patches[0].centre.z, -5000.0, 1e-12);
}

TEST(PlacedModel, LocalFrameOfTrueNorthGoesToItsOrigin) {
    SlipModel model = one_patch(0.0, 30.0);
    model.patches[0].east_m = 30e3;
    model.patches[0].north_m = 40e3;
    const earth::Projection projection({140.0, 38.0});
    const earth::LonLat origin{142.0, 39.0};

    const PlacedModel placed = fault::place_on_map(model, projection, origin);

    const earth::MapPoint from = projection.forward(origin);
    const double turn = projection.convergence(origin);
    const Vec3 off = placed.patches[0].centre - Vec3{from.x_m, from.y_m, 0.0};
    // 50 km at a true azimuth of atan(3 / 4), to the projection's own error.
    EXPECT_GT(std::abs(turn), 1.0 * kDegree);
    EXPECT_NEAR(std::hypot(off.x, off.y), 50e3, 30.0);
    EXPECT_NEAR(std::atan2(off.x, off.y), std::atan2(3.0, 4.0) + turn, 1e-3);
    EXPECT_NEAR(placed.patches[0].strike_rad, 30.0 * kDegree + turn, 1e-3);
    EXPECT_NEAR(placed.patches[0].centre.z, -5000.0, 1e-9);
}

TEST(PlacedModel, FramesAreNotMixedUp) {
    SlipModel local = one_patch(0.0);
    SlipModel globe = one_patch(0.0);
    globe.geographic = true;

    EXPECT_THROW((void)fault::place_on_map(local, earth::Projection({140.0, 38.0})), Error);
    EXPECT_THROW((void)place(globe, Vec3{}), Error);
}

}  // namespace
}  // namespace kaname::slip_model::placed_model_test
