// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/parallel/incidence.hpp"

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"

namespace kaname::incidence_test {
namespace {

TEST(Incidence, PlacesOfEveryTargetAscendWhateverTheNumberOfThreads) {
    constexpr std::int64_t kPlaces = 50'000;
    constexpr std::int64_t kTargets = 1'201;
    // Target 1,200 has no place, a seventh of the places have no target.
    const auto target = [](std::int64_t place) {
        return place % 7 == 3 ? std::int64_t(-1) : place * 7919 % 1200;
    };
    std::vector<std::vector<std::int32_t>> expected(kTargets);
    for (std::int32_t place = 0; place < kPlaces; ++place) {
        if (target(place) >= 0) {
            expected[target(place)].push_back(place);
        }
    }
    const int before = device::max_threads();
    for (const int threads : {1, 2, 3}) {
        device::set_threads(threads);

        const Incidence lists = incidence(kPlaces, kTargets, target);

        ASSERT_EQ(std::ssize(lists.first), kTargets + 1);
        for (std::int64_t t = 0; t < kTargets; ++t) {
            const auto of = lists.of(t);
            EXPECT_EQ(std::vector<std::int32_t>(of.begin(), of.end()), expected[t]) << t;
        }
    }
    device::set_threads(before);
}

TEST(Incidence, NothingHasNoPlaces) {
    const Incidence lists = incidence(0, 3, [](std::int64_t) { return 0; });

    EXPECT_EQ(lists.first, (std::vector<std::int64_t>{0, 0, 0, 0}));
    EXPECT_TRUE(lists.place.empty());
}

}  // namespace
}  // namespace kaname::incidence_test
