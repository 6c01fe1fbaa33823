// SPDX-License-Identifier: BSD-3-Clause
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "solvers/p2/locate.hpp"

namespace kaname::p2::box_tree_test {
namespace {

/// Boxes of many sizes about random places.
std::vector<Box> boxes(int n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(0.0, 1.0);
    std::vector<Box> result(n);
    for (Box& box : result) {
        const Vec3 centre{place(random), place(random), place(random)};
        const double size = 0.02 * place(random) * place(random);
        box.include(centre - Vec3{size, size, size});
        box.include(centre + Vec3{size, 2.0 * size, 0.5 * size});
    }
    return result;
}

TEST(BoxTree, VisitsWhatIsWithinADistance) {
    const std::vector<Box> all = boxes(3000);
    const BoxTree tree(3000, [&](std::int32_t item) { return all[item]; });
    for (const Vec3& x : {Vec3{0.5, 0.5, 0.5}, Vec3{0.01, 0.9, 0.3}, Vec3{2.0, -1.0, 0.5}}) {
        for (const double within : {0.0, 0.03, 0.2, 1.5}) {
            std::set<std::int32_t> seen;

            tree.for_each_near(
                x, [&] { return within; },
                [&](std::int32_t item) { EXPECT_TRUE(seen.insert(item).second) << item; });

            std::set<std::int32_t> expected;
            for (int item = 0; item < 3000; ++item) {
                if (all[item].distance(x) <= within) {
                    expected.insert(item);
                }
            }
            EXPECT_EQ(seen, expected) << within;
        }
    }
}

TEST(BoxTree, TheNearestOfManyTakesFewVisits) {
    const std::vector<Box> all = boxes(20000);
    const BoxTree tree(20000, [&](std::int32_t item) { return all[item]; });
    int visits = 0;
    for (int k = 0; k < 50; ++k) {
        const Vec3 x{0.02 * k, 0.7, 1.0 - 0.02 * k};
        double nearest = std::numeric_limits<double>::infinity();

        tree.for_each_near(
            x, [&] { return nearest; },
            [&](std::int32_t item) {
                ++visits;
                nearest = std::min(nearest, all[item].distance(x));
            });

        double least = std::numeric_limits<double>::infinity();
        for (const Box& box : all) {
            least = std::min(least, box.distance(x));
        }
        EXPECT_EQ(nearest, least) << k;
    }
    EXPECT_LT(visits, 50 * 100);  // of 50 * 20,000
}

TEST(BoxTree, WithoutItemsNothingIsVisited) {
    const BoxTree tree(0, [](std::int32_t) { return Box{}; });

    tree.for_each_near(
        Vec3{}, [] { return 1.0; }, [](std::int32_t) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace kaname::p2::box_tree_test
