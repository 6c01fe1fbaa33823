// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/roots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

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

/// Coordinates of a root's halves within the inner half of an axis [m], ascending.
std::vector<double> inner_planes(const VolumeMeshParams& params, int axis, double half_m) {
    const Octree::Roots roots = choose_roots(params);
    std::vector<double> planes;
    for (int k = 0; k <= 4 * roots.n[static_cast<std::size_t>(axis)]; ++k) {
        if (const double at = roots.place(axis, 0.25 * k); std::abs(at) < half_m) {
            planes.push_back(at);
        }
    }
    return planes;
}

TEST(Roots, OfASteadyLatticeMeetTheSizeExactlyAndEndOnTheSides) {
    VolumeMeshParams params = request(2.67e3);
    params.steady = true;
    params.box = {491e3, 350e3, 233e3, 0.0};

    const Octree::Roots roots = choose_roots(params);

    EXPECT_NEAR(size_at_fault(params) / 2.67e3, 1.0, 1e-12);
    const Vec3 size{491e3, 350e3, 233e3};
    for (int axis = 0; axis < 3; ++axis) {
        const int n = roots.n[static_cast<std::size_t>(axis)];
        const double low = axis == 2 ? -233e3 : -0.5 * size[axis];
        EXPECT_EQ(roots.place(axis, 0.0), low);
        EXPECT_EQ(roots.place(axis, n), low + size[axis]);
        for (int k = 0; k < n; ++k) {
            const double edge_m = roots.place(axis, k + 1.0) - roots.place(axis, k);
            EXPECT_NEAR(edge_m / roots.edge[axis], 1.0, 0.34) << axis << " " << k;
        }
    }
}

TEST(Roots, OfASteadyLatticeAreTheSameInALargerBox) {
    VolumeMeshParams params = request(2.67e3);
    params.steady = true;
    const std::array<std::vector<double>, 3> before = {inner_planes(params, 0, 90e3),
                                                       inner_planes(params, 1, 90e3),
                                                       inner_planes(params, 2, 90e3)};
    for (const double larger : {1.01, 1.03, 1.1, 1.2}) {
        params.box = {larger * 480e3, larger * 480e3, larger * 240e3, 0.0};
        for (int axis = 0; axis < 3; ++axis) {
            const std::vector<double> after = inner_planes(params, axis, 90e3);
            // An odd number of roots has quarters where an even one has them, not the roots.
            ASSERT_EQ(after.size(), before[static_cast<std::size_t>(axis)].size()) << larger;
            for (std::size_t k = 0; k < after.size(); ++k) {
                EXPECT_NEAR(after[k], before[static_cast<std::size_t>(axis)][k], 1e-6) << larger;
            }
        }
    }
}

TEST(Roots, OfASteadyLatticeStandOnSeaLevelUnderRelief) {
    VolumeMeshParams params = request(2.67e3);
    params.steady = true;
    auto model = std::make_shared<earth::VolumeModel>(*params.model);
    model->surfaces[0].height =
        test::height([](double u, double) { return 1e3 + 2e3 * std::abs(u) / 240e3; }, 240e3);
    params.model = model;

    const Octree::Roots roots = choose_roots(params);
    const int n = roots.n[2];

    EXPECT_EQ(roots.place(2, 0.0), -240e3);
    EXPECT_NEAR(roots.place(2, n - 1.0), 0.0, 1e-6);
    EXPECT_GT(roots.place(2, n), 3e3);
}

}  // namespace
}  // namespace kaname::cleaving::roots_test
