// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/fault/fault_report.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "tests/support/random_model.hpp"

namespace kaname::cleaving::random_models_test {
namespace {

constexpr double kFarCells = 8.0;

TEST(RandomModel, IsDrawnByItsSeed) {
    const VolumeMeshParams one = test::random_model(3, kFarCells);
    const VolumeMeshParams same = test::random_model(3, kFarCells);
    const VolumeMeshParams other = test::random_model(4, kFarCells);

    EXPECT_EQ(one.box.depth_m, same.box.depth_m);
    EXPECT_EQ(one.model->surfaces.size(), same.model->surfaces.size());
    EXPECT_EQ(one.model->surfaces.back().height.z(1e3, 2e3),
              same.model->surfaces.back().height.z(1e3, 2e3));
    EXPECT_NE(one.box.depth_m, other.box.depth_m);
}

TEST(RandomModel, SurfacesCrossAndSlabsAndFaultsOccur) {
    int crossings = 0, slabs = 0, on_slab = 0, planes = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const VolumeMeshParams params = test::random_model(seed, kFarCells);
        const auto& surfaces = params.model->surfaces;
        slabs += surfaces[1].name == "slab-top" ? 1 : 0;
        for (const FaultRequest& fault : params.faults) {
            (fault.surface < 0 ? planes : on_slab) += 1;
        }
        const auto above = [&](double u, double v) {
            return surfaces.back().height.z(u, v) > surfaces[surfaces.size() - 2].height.z(u, v);
        };
        for (double u = -70e3; u <= 70e3; u += 10e3) {
            if (above(u, 0.0) != above(-70e3, 0.0)) {
                ++crossings;
                break;
            }
        }
    }

    EXPECT_GE(crossings, 8);
    EXPECT_GE(slabs, 10);
    EXPECT_GE(on_slab, 4);
    EXPECT_GE(planes, 4);
}

class RandomMesh : public testing::TestWithParam<int> {};

TEST_P(RandomMesh, IsSoundAndMeetsItsModel) {
    const VolumeMeshParams params =
        test::random_model(static_cast<std::uint64_t>(GetParam()), kFarCells);

    const mesh::TetMesh mesh = make_volume_mesh(params)->build([](double, const char*) {});

    const mesh::FaceSet faces =
        mesh::check_mesh(mesh, static_cast<int>(params.model->materials.size()));
    const mesh::QualityReport quality = mesh::measure_quality(mesh, faces);
    EXPECT_TRUE(quality.connectivity.watertight());
    EXPECT_GE(quality.min_dihedral_deg, 5.0);
    EXPECT_LE(quality.max_dihedral_deg, 168.0);
    EXPECT_GE(quality.p001_min_dihedral_deg, 8.0);
    // Layers of these coarse models are thinner than elements here and there; the ground and faults
    // are met nevertheless.
    for (const InterfaceError::Surface& surface :
         measure_interface_error(mesh, *params.model, params.faults, params.box.azimuth_rad)
             .surfaces) {
        if (surface.is_fault || surface.name == "ground") {
            EXPECT_LE(surface.p99, 0.25) << surface.name;
        }
    }
    if (!params.faults.empty()) {
        const fault::FaultReport fault = fault::report_faults(mesh).at(0);
        EXPECT_GT(fault.split_nodes, 0);
        EXPECT_EQ(fault.orphan_nodes, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMesh, testing::Range(1, 11));

}  // namespace
}  // namespace kaname::cleaving::random_models_test
