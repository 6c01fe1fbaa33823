// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/meshing/cleaving/octree.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::roots_test {
namespace {

VolumeMeshParams request(double size_at_fault_m) {
    VolumeMeshParams params;
    params.box = {480e3, 480e3, 240e3, 0.0};
    auto model = std::make_shared<earth::VolumeModel>(*test::layers({}));
    model->depth_m = 240e3;
    params.model = model;
    params.sizes.far_m = 60e3;
    params.sizes.points.push_back({size_at_fault_m, {{0.0, 0.0, -5e3}}});
    return params;
}

/// Element size in the cubes at the fault that are not divided any more [m].
double size_at_fault(const VolumeMeshParams& params) {
    const Octree::Roots roots = choose_roots(params);
    double size = kSizePerEdge * std::cbrt(roots.edge.x * roots.edge.y * roots.edge.z);
    while (size > kLargest * params.sizes.points[0].size_m) {
        size *= 0.5;
    }
    return size;
}

TEST(Roots, MeetTheSizeAtTheFault) {
    for (const double size_m : {1.0e3, 1.33e3, 1.7e3, 2.0e3, 2.3e3, 2.67e3, 3.1e3, 4.0e3, 7.0e3}) {
        EXPECT_NEAR(size_at_fault(request(size_m)) / size_m, 1.0, 0.08) << size_m;
    }
}

TEST(Roots, AreNearlyCubesOfTheBoxNoLargerThanFarElementsMayBe) {
    VolumeMeshParams params = request(2.67e3);
    params.box.size_north_m = 350e3;

    const Octree::Roots roots = choose_roots(params);

    EXPECT_NEAR(roots.n[0] * roots.edge.x, 480e3, 1e-6);
    EXPECT_NEAR(roots.n[1] * roots.edge.y, 350e3, 1e-6);
    EXPECT_NEAR(roots.n[2] * roots.edge.z, 240e3, 1e-6);
    const auto [low, high] = std::minmax({roots.edge.x, roots.edge.y, roots.edge.z});
    EXPECT_LT(high / low, 1.1);
    EXPECT_LT(kSizePerEdge * high, 1.05 * kLargest * params.sizes.far_m);
}

TEST(Roots, AreThoseGivenOnes) {
    VolumeMeshParams params = request(2.67e3);
    params.roots = {16, 12, 10};

    const Octree::Roots roots = choose_roots(params);

    EXPECT_EQ(roots.n, params.roots);
    EXPECT_EQ(roots.edge, (Vec3{30e3, 40e3, 24e3}));
    EXPECT_EQ(roots.lower, (Vec3{-240e3, -240e3, -240e3}));
}

}  // namespace
}  // namespace kaname::cleaving::roots_test
