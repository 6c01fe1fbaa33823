// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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

/// A box with a fault about `middle`, on whose sides and about whose fault roots are laid.
VolumeMeshParams with_fault(const Vec3& middle, const Vec3& box_m) {
    VolumeMeshParams params = request(2.67e3);
    params.box = {box_m.x, box_m.y, box_m.z, 0.0};
    params.sizes.points[0].at = {middle + Vec3{-12e3, -7e3, -5e3}, middle + Vec3{12e3, 7e3, -9e3}};
    params.faults.emplace_back();
    return params;
}

/// Returns the coordinates of the eighths of roots within `half_m` of a place, ascending.
std::vector<double> planes_about(const VolumeMeshParams& params, int axis, double at_m,
                                 double half_m) {
    const Octree::Roots roots = choose_roots(params);
    std::vector<double> planes;
    for (int k = 0; k <= 8 * roots.n[static_cast<std::size_t>(axis)]; ++k) {
        if (const double place = roots.place(axis, 0.125 * k); std::abs(place - at_m) < half_m) {
            planes.push_back(place);
        }
    }
    return planes;
}

TEST(Roots, AboutAFaultMeetTheSizeExactlyAndEndOnTheSides) {
    for (const double away_m : {0.0, 40e3, 110e3}) {
        const VolumeMeshParams params = with_fault({away_m, -17e3, 0.0}, {491e3, 350e3, 233e3});

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
                EXPECT_NEAR(edge_m / roots.edge[axis], 1.0, 0.5) << axis << " " << k;
            }
        }
    }
}

TEST(Roots, AboutAFaultAreTheSameInALargerBox) {
    const Vec3 middle{31e3, -12e3, 0.0};
    const auto in_box = [&](double times) {
        return with_fault(middle, {times * 600e3, times * 600e3, times * 300e3});
    };
    for (const double larger : {1.01, 1.03, 1.1, 1.2}) {
        for (int axis = 0; axis < 3; ++axis) {
            const double at_m = axis == 2 ? -5e3 : middle[axis];
            const std::vector<double> before = planes_about(in_box(1.0), axis, at_m, 80e3);
            const std::vector<double> after = planes_about(in_box(larger), axis, at_m, 80e3);
            ASSERT_EQ(after.size(), before.size()) << larger;
            for (std::size_t k = 0; k < after.size(); ++k) {
                EXPECT_NEAR(after[k], before[k], 1e-6) << larger;
            }
        }
    }
}

TEST(Roots, AboutAFaultLieAlikeOnBothItsSides) {
    for (const double away_m : {0.0, 23e3, 110e3}) {
        const std::vector<double> planes =
            planes_about(with_fault({away_m, 0.0, 0.0}, {600e3, 600e3, 300e3}), 0, away_m, 45e3);
        ASSERT_GT(planes.size(), 4u);
        for (std::size_t k = 0; k < planes.size(); ++k) {
            EXPECT_NEAR(planes[k] - away_m, away_m - planes[planes.size() - 1 - k], 1e-6);
        }
    }
}

TEST(Roots, AboutAFaultStandOnSeaLevelUnderRelief) {
    VolumeMeshParams params = with_fault({}, {480e3, 480e3, 240e3});
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

TEST(Roots, AreOfTheWholeBoxWhereAFaultIsNearASide) {
    const VolumeMeshParams params = with_fault({232e3, 0.0, 0.0}, {480e3, 480e3, 240e3});
    VolumeMeshParams without = params;
    without.faults.clear();

    EXPECT_EQ(choose_roots(params).edge, choose_roots(without).edge);
}

}  // namespace
}  // namespace kaname::cleaving::roots_test
