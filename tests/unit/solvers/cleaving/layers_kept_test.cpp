// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/cleaving/layers_kept.hpp"

#include <gtest/gtest.h>

#include "tests/unit/solvers/cleaving/models.hpp"

namespace kaname::cleaving {
namespace {

/// 30 km of rock, 1 km of another, and the rest.
VolumeMeshParams sandwich(double size_m) {
    VolumeMeshParams params;
    params.box = {400e3, 400e3, 60e3, 0.0};
    params.model = test::layers({-30e3, -31e3});
    params.sizes.far_m = 40e3;
    params.sizes.growth = 0.1;
    params.sizes.points.push_back({size_m, {{0.0, 0.0, -30e3}}});
    return params;
}

TEST(LayersKept, AThinLayerIsLostToItsNeighbours) {
    const std::vector<LayerKept> kept = layers_kept(sandwich(20e3), 50e3);

    ASSERT_EQ(kept.size(), 3u);
    EXPECT_NEAR(kept[1].model_m3, 1e3 * 100e3 * 100e3, 1e-6 * kept[1].model_m3);
    EXPECT_EQ(kept[1].left_m3, 0.0);
    EXPECT_NEAR(kept[0].left_m3 + kept[2].left_m3, 60e3 * 100e3 * 100e3, 1e6);
}

TEST(LayersKept, SmallElementsKeepIt) {
    const std::vector<LayerKept> kept = layers_kept(sandwich(1e3), 50e3);

    EXPECT_GT(kept[1].left_m3, 0.99 * kept[1].model_m3);
}

}  // namespace
}  // namespace kaname::cleaving
