// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/column_levels.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace kaname::meshing::column_levels_test {
namespace {

TEST(GeometricSpacings, AddUpAndGrowByOneRatio) {
    const auto spacings = geometric_spacings(6, 100.0, 5.0, 2.0);

    EXPECT_NEAR(std::accumulate(spacings.begin(), spacings.end(), 0.0), 100.0, 1e-10);
    EXPECT_NEAR(spacings[0], 5.0, 1e-9);
    for (int layer = 1; layer < 6; ++layer) {
        EXPECT_NEAR(spacings[layer] / spacings[layer - 1], spacings[1] / spacings[0], 1e-12);
    }
}

TEST(GeometricSpacings, AreUniformWhenTheFirstIsWide) {
    for (const double spacing : geometric_spacings(4, 100.0, 30.0, 2.0)) {
        EXPECT_DOUBLE_EQ(spacing, 25.0);
    }
}

TEST(GeometricSpacings, WidenTheFirstRatherThanPassTheRatio) {
    const auto spacings = geometric_spacings(4, 150.0, 1.0, 2.0);

    EXPECT_DOUBLE_EQ(spacings[0], 10.0);
    EXPECT_DOUBLE_EQ(spacings[3], 80.0);
}

TEST(ColumnLevels, HoldSurfaceInterfaceAndBottomExactly) {
    const auto levels = column_levels({17e3, 17e3, 250e3, 3e3, 5, 8});

    ASSERT_EQ(levels.size(), 14u);
    EXPECT_EQ(levels[0], 0.0);
    EXPECT_EQ(levels[5], 17e3);
    EXPECT_EQ(levels[13], 250e3);
    EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
    EXPECT_NEAR(levels[5] - levels[4], 2.4e3, 1.0);
    EXPECT_NEAR(levels[6] - levels[5], 2.4e3, 1.0);
}

earth::LayeredStructure stack(std::vector<double> above, std::vector<double> below) {
    earth::LayeredStructure structure;
    for (const double depth : above) {
        structure.layers.push_back({0, depth});
    }
    structure.layers.push_back({0, std::nullopt});
    for (const double depth : below) {
        structure.below_interface.push_back({0, depth});
    }
    if (!below.empty()) {
        structure.below_interface.push_back({0, std::nullopt});
    }
    return structure;
}

TEST(SnapLevels, MovesTheNearestFreeLevelOnEachSide) {
    const ColumnLayout layout = {40.0, 40.0, 100.0, 1e9, 4, 6};
    auto levels = column_levels(layout);

    snap_levels(layout, stack({12.0}, {33.0}), levels);

    EXPECT_EQ(levels, (std::vector<double>{0, 12, 20, 30, 40, 50, 60, 73, 80, 90, 100}));
}

TEST(SnapLevels, LeavesTheInterfaceAndThinSpacingsAlone) {
    const ColumnLayout layout = {40.0, 40.0, 100.0, 1e9, 4, 6};
    auto near_interface = column_levels(layout);
    auto crowded = near_interface;

    snap_levels(layout, stack({37.0}, {}), near_interface);
    snap_levels(layout, stack({14.9, 15.2}, {}), crowded);

    EXPECT_EQ(near_interface, column_levels(layout));
    EXPECT_EQ(crowded[1], 14.9);
    EXPECT_EQ(crowded[2], 20.0);
}

TEST(SnapLevels, CountsTheSlabFromTheInterfaceNotFromItsLevel) {
    const ColumnLayout layout = {15.0, 40.0, 100.0, 1e9, 4, 6};
    auto levels = column_levels(layout);

    snap_levels(layout, stack({}, {47.0}), levels);

    EXPECT_EQ(levels[4], 40.0);
    EXPECT_EQ(levels[6], 62.0);
}

TEST(SnapLevels, UsesTheLayersBelowTooWhenThereIsNoOtherStack) {
    const ColumnLayout layout = {40.0, 40.0, 100.0, 1e9, 4, 6};
    auto levels = column_levels(layout);

    snap_levels(layout, stack({62.0}, {}), levels);

    EXPECT_EQ(levels[6], 62.0);
}

}  // namespace
}  // namespace kaname::meshing::column_levels_test
