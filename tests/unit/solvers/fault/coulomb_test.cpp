// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/fault_report.hpp"

namespace kaname::fault::coulomb_test {
namespace {

constexpr double kMPa = 1e6;

Receiver receiver(double strike_deg, double dip_deg, double rake_deg, double friction = 0.4,
                  double skempton = 0.0) {
    return {strike_deg * kDegree, dip_deg * kDegree, rake_deg * kDegree, friction, skempton};
}

TEST(Coulomb, EastWestTensionUnclampsAFaultTowardsNorth) {
    const CoulombChange change =
        coulomb_change({kMPa, 0.0, 0.0, 0.0, 0.0, 0.0}, receiver(0.0, 90.0, 0.0));

    EXPECT_NEAR(change.shear_pa, 0.0, 1e-6);
    EXPECT_NEAR(change.normal_pa, kMPa, 1e-6);
    EXPECT_NEAR(change.coulomb_pa, 0.4 * kMPa, 1e-6);
}

TEST(Coulomb, ShearThatDrivesTheEastSideNorthIsLeftLateral) {
    const StressChange xy = {0.0, 0.0, 0.0, kMPa, 0.0, 0.0};

    EXPECT_NEAR(coulomb_change(xy, receiver(0.0, 90.0, 0.0)).coulomb_pa, kMPa, 1e-6);
    EXPECT_NEAR(coulomb_change(xy, receiver(0.0, 90.0, 180.0)).coulomb_pa, -kMPa, 1e-6);
    // The fault across it, towards east, is driven the other way.
    EXPECT_NEAR(coulomb_change(xy, receiver(90.0, 90.0, 180.0)).shear_pa, kMPa, 1e-6);
}

TEST(Coulomb, CompressionAcrossStrikePromotesThrustAtLowDip) {
    // sigma_xx = -1 MPa on a plane dipping 30 degrees east: traction -sin30 in x, up-dip
    // direction -cos30 in x: shear = sin30 cos30, normal = -sin30^2.
    const StressChange push = {-kMPa, 0.0, 0.0, 0.0, 0.0, 0.0};

    const CoulombChange thrust = coulomb_change(push, receiver(0.0, 30.0, 90.0));
    const CoulombChange normal = coulomb_change(push, receiver(0.0, 30.0, -90.0));

    EXPECT_NEAR(thrust.shear_pa, std::sqrt(3.0) / 4.0 * kMPa, 1e-6);
    EXPECT_NEAR(thrust.normal_pa, -0.25 * kMPa, 1e-6);
    EXPECT_NEAR(thrust.coulomb_pa, (std::sqrt(3.0) / 4.0 - 0.1) * kMPa, 1e-6);
    EXPECT_NEAR(normal.shear_pa, -std::sqrt(3.0) / 4.0 * kMPa, 1e-6);
}

TEST(Coulomb, ShearOnVerticalComponentsHasItsSign) {
    // sigma_xz > 0 drags what lies above a level plane east; dip 0, strike 0: up dip is west.
    const StressChange xz = {0.0, 0.0, 0.0, 0.0, 0.0, kMPa};
    const StressChange yz = {0.0, 0.0, 0.0, 0.0, kMPa, 0.0};

    EXPECT_NEAR(coulomb_change(xz, receiver(0.0, 0.0, 90.0)).shear_pa, -kMPa, 1e-6);
    EXPECT_NEAR(coulomb_change(xz, receiver(0.0, 90.0, 90.0)).shear_pa, kMPa, 1e-6);
    EXPECT_NEAR(coulomb_change(yz, receiver(0.0, 0.0, 0.0)).shear_pa, kMPa, 1e-6);
}

TEST(Coulomb, PorePressureTakesPartOfTheUnclamping) {
    // Isotropic tension p: undrained pressure change -B p, so friction acts on p (1 - B).
    const StressChange tension = {3e5, 3e5, 3e5, 0.0, 0.0, 0.0};

    EXPECT_NEAR(coulomb_change(tension, receiver(40.0, 60.0, 10.0, 0.6, 0.75)).coulomb_pa,
                0.6 * 3e5 * 0.25, 1e-6);
    EXPECT_NEAR(coulomb_change(tension, receiver(40.0, 60.0, 10.0, 0.6, 1.0)).coulomb_pa, 0.0,
                1e-6);
}

TEST(Coulomb, TurningStressAndReceiverTogetherChangesNothing) {
    const StressChange s = {1.1e6, -0.4e6, 0.7e6, 0.3e6, -0.9e6, 0.2e6};
    const CoulombChange before = coulomb_change(s, receiver(25.0, 35.0, 70.0, 0.5, 0.3));
    for (const double turn_deg : {17.0, 90.0, 200.0}) {
        // Clockwise seen from above, as azimuths count: x' = x cos + y sin, y' = -x sin + y cos.
        const double c = std::cos(turn_deg * kDegree);
        const double n = std::sin(turn_deg * kDegree);
        const auto& [xx, yy, zz, xy, yz, xz] = s;
        const StressChange turned = {c * c * xx + 2.0 * c * n * xy + n * n * yy,
                                     n * n * xx - 2.0 * c * n * xy + c * c * yy,
                                     zz,
                                     c * n * (yy - xx) + (c * c - n * n) * xy,
                                     c * yz - n * xz,
                                     c * xz + n * yz};

        const CoulombChange after =
            coulomb_change(turned, receiver(25.0 + turn_deg, 35.0, 70.0, 0.5, 0.3));

        EXPECT_NEAR(after.shear_pa, before.shear_pa, 1e-6);
        EXPECT_NEAR(after.normal_pa, before.normal_pa, 1e-6);
        EXPECT_NEAR(after.coulomb_pa, before.coulomb_pa, 1e-6);
    }
}

TEST(Coulomb, ConjugatePlaneHasTheSameShear) {
    // n and r exchanged: the symmetric tensor gives n.S.r both ways. Strike 0, dip 30, rake 90 has
    // the auxiliary plane strike 180, dip 60, rake 90.
    const StressChange s = {1.1e6, -0.4e6, 0.7e6, 0.3e6, -0.9e6, 0.2e6};

    EXPECT_NEAR(coulomb_change(s, receiver(0.0, 30.0, 90.0)).shear_pa,
                coulomb_change(s, receiver(180.0, 60.0, 90.0)).shear_pa, 1e-6);
}

TEST(Coulomb, NonsenseIsRefused) {
    const StressChange s = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    StressChange bad = s;
    bad[4] = std::numeric_limits<double>::quiet_NaN();

    EXPECT_THROW((void)coulomb_change(s, receiver(0.0, 90.0, 0.0, -0.1)), Error);
    EXPECT_THROW((void)coulomb_change(s, receiver(0.0, 90.0, 0.0, 0.4, 1.5)), Error);
    EXPECT_THROW((void)coulomb_change(bad, receiver(0.0, 90.0, 0.0)), Error);
}

}  // namespace
}  // namespace kaname::fault::coulomb_test
