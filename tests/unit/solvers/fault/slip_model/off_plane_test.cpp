// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model::off_plane_test {
namespace {

/// A patch 8 km wide that strikes north and dips east.
PlacedPatch patch_at(const Vec3& centre, double dip_deg) {
    PlacedPatch patch;
    patch.centre = centre;
    patch.length_m = 10e3;
    patch.width_m = 8e3;
    patch.dip_rad = dip_deg * kDegree;
    return patch;
}

TEST(OffPlane, NeighboursInOnePlaneAreOnIt) {
    const PlacedPatch first = patch_at({0.0, 0.0, -5e3}, 45.0);

    EXPECT_EQ(off_plane(first, patch_at(first.centre + 8e3 * first.down_dip(), 45.0)), "");
    EXPECT_EQ(off_plane(first, patch_at(first.centre + 390.0 * first.normal(), 46.9)), "");
}

TEST(OffPlane, SaysHowFarOffAndHowFarIsAllowed) {
    const PlacedPatch first = patch_at({0.0, 0.0, -5e3}, 45.0);
    const PlacedPatch beside = patch_at(first.centre + 1250.0 * first.normal(), 57.0);

    EXPECT_EQ(off_plane(first, beside),
              "lies 1250 m off the plane of the first patch and is turned by 12.0 degrees (at most "
              "400 m, 5 % of its width, and 2 degrees); that plane has strike 0.0 and dip 45.0 "
              "degrees");
}

}  // namespace
}  // namespace kaname::slip_model::off_plane_test
