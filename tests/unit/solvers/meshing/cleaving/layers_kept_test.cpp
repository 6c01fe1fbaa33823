// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/layers_kept.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::layers_kept_test {
namespace {

/// 30 km of rock, so much of another, and the rest.
VolumeMeshParams sandwich(double size_m, double thickness_m = 1e3) {
    VolumeMeshParams params;
    params.box = {400e3, 400e3, 60e3, 0.0};
    params.model = test::layers({-30e3, -30e3 - thickness_m});
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

TEST(LayersKept, InTheMeshIsWhatTheMeshHas) {
    VolumeMeshParams params = sandwich(20e3);
    const mesh::TetMesh without = make_volume_mesh(params)->build([](double, const char*) {});
    params = sandwich(10e3, 8e3);
    const mesh::TetMesh with = make_volume_mesh(params)->build([](double, const char*) {});

    EXPECT_EQ(layers_kept(params, without, 10e3)[1].left_m3, 0.0);
    const LayerKept kept = layers_kept(params, with, 10e3)[1];
    EXPECT_NEAR(kept.left_m3, kept.model_m3, 0.05 * kept.model_m3);
    EXPECT_EQ(kept.thin_m2, 0.0);
}

TEST(LayersKept, FindsAllPiecesInATurnedBoxUnderARoughGround) {
    VolumeMeshParams params;
    params.box = {120e3, 80e3, 60e3, 30.0 * kDegree};
    params.model = test::layers_under(
        test::height([](double u, double v) { return 500.0 * std::sin((u + v) / 9e3); }, 60e3),
        {test::height([](double u, double) { return -30e3 + 0.4 * u; }, 60e3)});
    params.sizes.far_m = 8e3;
    params.sizes.growth = 0.3;
    const meshing::BoxFrame frame(params.box.azimuth_rad);
    params.sizes.points.push_back({6e3, {frame.to_map(-30e3, 45e3, -12e3)}});
    const mesh::TetMesh mesh = make_volume_mesh(params)->build([](double, const char*) {});

    const std::vector<LayerKept> kept = layers_kept(params, mesh, 8e3);

    EXPECT_NEAR(kept[0].left_m3, kept[0].model_m3, 0.01 * kept[0].model_m3);
    EXPECT_NEAR(kept[1].left_m3, kept[1].model_m3, 0.01 * kept[1].model_m3);
}

TEST(LayersKept, TellsWhereALayerIsThinnerThanAThirdOfAnElement) {
    const std::vector<LayerKept> kept = layers_kept(sandwich(4e3), 10e3);

    EXPECT_EQ(kept[1].thin_m2, kept[1].extent_m2);
    EXPECT_EQ(kept[0].thin_m2, 0.0);
}

}  // namespace
}  // namespace kaname::cleaving::layers_kept_test
