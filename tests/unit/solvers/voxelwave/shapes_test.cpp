// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "tests/unit/solvers/voxelwave/voxel_box.hpp"

namespace kaname::voxelwave::shapes_test {
namespace {

double volume_of(const VoxelModel& model, std::uint16_t solid) {
    return static_cast<double>(std::ranges::count(model.solid_of, solid)) * model.ds_m *
           model.ds_m * model.ds_m;
}

TEST(Shapes, HaveTheirVolumes) {
    Shapes shapes({0.324, 0.128, 0.384}, 2e-3, rock());
    shapes.cylinder(1, {0.160, 0.0, 0.100}, 0.015, steel());
    shapes.sphere({0.06, 0.06, 0.3}, 0.04, steel());
    shapes.box({0.3, 0.1, 0.0}, {0.2, 0.128, 0.05}, rock());
    const VoxelModel& model = shapes.model();
    model.check();
    EXPECT_EQ(model.voxels, (std::array{162, 64, 192}));
    const double pi = std::numbers::pi;
    // A circle of 7.5 voxels is known to within a few of them.
    EXPECT_NEAR(volume_of(model, 1) / (pi * 0.015 * 0.015 * 0.128), 1.0, 0.03);
    EXPECT_NEAR(volume_of(model, 2) / (4.0 / 3.0 * pi * 0.04 * 0.04 * 0.04), 1.0, 0.02);
    EXPECT_NEAR(volume_of(model, 3) / (0.1 * 0.028 * 0.05), 1.0, 1e-9);
}

TEST(Shapes, RefuseASizeThatVoxelsDoNotFill) {
    try {
        Shapes shapes({0.324, 0.127, 0.384}, 2e-3, rock());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("along y must be a whole number of voxels"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::voxelwave::shapes_test
