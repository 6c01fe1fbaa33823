// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/size_field.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::size_field_test {
namespace {

const meshing::Box kBox = {100e3, 80e3, 50e3, 30.0 * kDegree};

SizeRequest request() {
    SizeRequest request;
    request.far_m = 20e3;
    request.growth = 0.25;
    return request;
}

class Places {
public:
    Vec3 next() {
        const double u = in(-50e3, 50e3), v = in(-40e3, 40e3), z = in(-50e3, 0.0);
        return {u, v, z};
    }
    double in(double low, double high) { return low + (high - low) * random_() / 4294967296.0; }

private:
    std::mt19937 random_{3};
};

TEST(SizeField, GrowsWithTheDistanceFromWhatWishesIt) {
    SizeRequest wishes = request();
    const meshing::BoxFrame frame(kBox.azimuth_rad);
    wishes.points.push_back({1e3, {frame.to_map(4e3, 10e3, -5e3)}});  // u = 10 km, v = 4 km
    wishes.at_surface_m = 3e3;
    wishes.depths.push_back({10e3, 4e3});
    const SizeField sizes(wishes, kBox, test::layers({}));

    EXPECT_NEAR(sizes.at({10e3, 4e3, -5e3}), 1e3, 1e-6);
    EXPECT_NEAR(sizes.at({14e3, 7e3, -5e3}), 1e3 + 0.25 * 5e3, 1e-6);
    EXPECT_NEAR(sizes.at({-50e3, -40e3, 0.0}), 3e3, 1e-9);
    EXPECT_NEAR(sizes.at({-50e3, -40e3, -9e3}), 4e3, 1e-9);
    EXPECT_NEAR(sizes.at({-50e3, -40e3, -18e3}), 4e3 + 0.25 * 8e3, 1e-9);
}

TEST(SizeField, IsTheSameWhereALimitSufficesAndAboveTheLimitElsewhere) {
    Places places;
    SizeRequest wishes = request();
    for (const double size_m : {1e3, 2e3, 30e3}) {
        SizeRequest::Points& points = wishes.points.emplace_back();
        points.size_m = size_m;
        for (int k = 0; k < 40; ++k) {
            points.at.push_back(places.next());
        }
    }
    const SizeField sizes(wishes, kBox, test::layers({}));
    int exact = 0, above = 0;
    for (int k = 0; k < 2000; ++k) {
        const Vec3 x = places.next();
        const double enough_m = places.in(0.5e3, 8e3), at = sizes.at(x);
        const double found = sizes.at_up_to(x, enough_m);
        if (at <= enough_m) {
            EXPECT_EQ(found, at);
            ++exact;
        } else {
            EXPECT_GT(found, enough_m);
            ++above;
        }
    }
    EXPECT_GT(std::min(exact, above), 200);

    wishes.at_surface_m = 1e3;  // not by points alone
    const SizeField shallow(wishes, kBox, test::layers({}));
    EXPECT_EQ(shallow.at_up_to({0.0, 0.0, -10.0}, 2e3), shallow.at({0.0, 0.0, -10.0}));
}

TEST(SizeField, IsNeverLargerThanFarAndIgnoresLargerWishes) {
    SizeRequest wishes = request();
    wishes.points.push_back({30e3, {{0.0, 0.0, 0.0}}});
    wishes.at_surface_m = 25e3;
    const SizeField sizes(wishes, kBox, test::layers({}));

    EXPECT_EQ(sizes.at({0.0, 0.0, 0.0}), 20e3);
    EXPECT_EQ(sizes.at({0.0, 0.0, -40e3}), 20e3);
}

TEST(SizeField, DetailHoldsAsFarAsItReachesAndGradesAway) {
    SizeRequest wishes = request();
    wishes.points.push_back({1e3, {{0.0, 0.0, -1e3}}});
    wishes.at_surface_m = 3e3;
    wishes.detail_reach_m = 20e3;
    const meshing::Box box = {400e3, 400e3, 50e3, 0.0};
    const SizeField sizes(wishes, box, test::layers({}));

    EXPECT_NEAR(sizes.at({12e3, 0.0, 0.0}), 3e3, 1e-6);
    EXPECT_NEAR(sizes.at({40e3, 0.0, 0.0}), 3e3 + 0.25 * (std::hypot(40e3, 1e3) - 20e3), 1e-6);
    EXPECT_EQ(sizes.at({190e3, 0.0, 0.0}), 20e3);
}

TEST(SizeField, DepthsMayReachFartherThanOtherDetail) {
    SizeRequest wishes = request();
    wishes.points.push_back({1e3, {{0.0, 0.0, 0.0}}});
    wishes.at_surface_m = 3e3;
    wishes.depths.push_back({10e3, 4e3, 100e3});
    wishes.detail_reach_m = 20e3;
    const meshing::Box box = {400e3, 400e3, 50e3, 0.0};
    const SizeField sizes(wishes, box, test::layers({}));

    EXPECT_NEAR(sizes.at({15e3, 0.0, 0.0}), 3e3, 1e-6);
    EXPECT_NEAR(sizes.at({99e3, 0.0, -10e3}), 4e3, 1e-6);
    EXPECT_NEAR(sizes.at({120e3, 0.0, 0.0}), 4e3 + 0.25 * 20e3, 1e-6);
    EXPECT_NEAR(sizes.smallest({140e3, 0.0, 0.0}, 30e3), 4e3 + 0.25 * 10e3, 1e-6);
    EXPECT_EQ(sizes.at({190e3, 0.0, 0.0}), 20e3);
}

TEST(SizeField, ChangesNoFasterThanItsGrowth) {
    SizeRequest wishes = request();
    wishes.points.push_back({1e3, {{10e3, 4e3, -5e3}, {-20e3, 30e3, -30e3}}});
    wishes.points.push_back({0.5e3, {{-10e3, -4e3, 0.0}}});
    wishes.at_surface_m = 6e3;
    wishes.depths.push_back({8e3, 8e3});
    const SizeField sizes(wishes, kBox, test::layers({}));

    Places places;
    for (int k = 0; k < 2000; ++k) {
        const Vec3 x = places.next(), y = places.next();
        EXPECT_LE(std::abs(sizes.at(x) - sizes.at(y)), 0.25 * norm(x - y) + 1e-6);
    }
}

TEST(SizeField, TheSmallestWithinReachIsALowerBound) {
    SizeRequest wishes = request();
    wishes.points.push_back({1e3, {{10e3, 4e3, -5e3}, {-20e3, 30e3, -30e3}}});
    wishes.at_surface_m = 6e3;
    wishes.depths.push_back({8e3, 8e3});
    const SizeField sizes(wishes, kBox, test::layers({}));

    Places places;
    for (int k = 0; k < 2000; ++k) {
        const Vec3 x = places.next();
        const double reach = places.in(0.0, 20e3);
        Vec3 by{places.in(-1.0, 1.0), places.in(-1.0, 1.0), places.in(-1.0, 1.0)};
        by = (reach * std::min(1.0, 1.0 / norm(by))) * by;
        const double smallest = sizes.smallest(x, reach);
        EXPECT_LE(smallest, sizes.at(x + by) + 1e-6);
        // No smaller than the growth over the reach explains.
        EXPECT_GE(smallest, sizes.at(x) - 0.25 * reach - 1e-6);
    }
}

TEST(SizeField, AThinVolumeIsSeenByTheCubesThatItPasses) {
    auto model = std::make_shared<earth::VolumeModel>(*test::layers({-10e3, -12e3}));
    model->volumes[1].size_m = 1.5e3;
    const SizeField sizes(request(), kBox, model);

    EXPECT_EQ(sizes.at({5e3, 5e3, -11e3}), 1.5e3);
    // Grading away from it like all wishes.
    const double growth = request().growth;
    EXPECT_NEAR(sizes.at({5e3, 5e3, -13e3}), 1.5e3 + growth * 1e3, 1e-6);
    EXPECT_EQ(sizes.smallest({5e3, 5e3, -16e3}, 8e3), 1.5e3);
    EXPECT_NEAR(sizes.smallest({5e3, 5e3, -30e3}, 8e3), 1.5e3 + growth * 10e3, 1e-6);
}

TEST(SizeField, SizesOfVolumesEndWithThemWhereTheyAreNotToGrow) {
    auto model = std::make_shared<earth::VolumeModel>(*test::layers({-10e3, -12e3}));
    model->volumes[1].size_m = 1.5e3;
    SizeRequest wishes = request();
    wishes.points.clear();
    wishes.volumes_grow = false;
    const SizeField sizes(wishes, kBox, model);

    EXPECT_EQ(sizes.at({5e3, 5e3, -11e3}), 1.5e3);
    EXPECT_EQ(sizes.at({5e3, 5e3, -12.1e3}), wishes.far_m);
    // A cube that ends at the volume is no part of it.
    EXPECT_EQ(sizes.smallest({5e3, 5e3, -16e3}, 4e3), wishes.far_m);
    EXPECT_EQ(sizes.smallest({5e3, 5e3, -16e3}, 4.1e3), 1.5e3);
}

}  // namespace
}  // namespace kaname::cleaving::size_field_test
