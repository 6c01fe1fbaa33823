// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/scheduler/housekeeper.hpp"

namespace kaname::scheduler::reap_guard_test {
namespace {

constexpr double kLease_s = 30;

/// Passes every 5 s for `seconds`; the answer of the last one.
bool pass_for(ReapGuard& guard, double& store_s, double& monotonic_s, double seconds) {
    bool may = false;
    for (double passed = 0; passed < seconds; passed += 5) {
        store_s += 5;
        monotonic_s += 5;
        may = guard.may_reap(store_s, monotonic_s);
    }
    return may;
}

TEST(ReapGuard, NewServerWaitsOneLease) {
    ReapGuard guard(kLease_s);
    double store_s = 1e9, monotonic_s = 7;
    EXPECT_FALSE(guard.may_reap(store_s, monotonic_s));

    EXPECT_FALSE(pass_for(guard, store_s, monotonic_s, 25));
    EXPECT_TRUE(pass_for(guard, store_s, monotonic_s, 5));
}

TEST(ReapGuard, AfterAJumpOfTheStoresClockAWholeLeasePasses) {
    ReapGuard guard(kLease_s);
    double store_s = 1e9, monotonic_s = 7;
    pass_for(guard, store_s, monotonic_s, 100);

    for (const double jump : {3600.0, -60.0, 2.5}) {
        EXPECT_FALSE(guard.began());
        EXPECT_FALSE(guard.may_reap(store_s += 5 + jump, monotonic_s += 5)) << jump;
        EXPECT_TRUE(guard.began()) << jump;
        EXPECT_FALSE(pass_for(guard, store_s, monotonic_s, kLease_s - 5)) << jump;
        EXPECT_TRUE(pass_for(guard, store_s, monotonic_s, 5)) << jump;
    }
}

TEST(ReapGuard, SmallDifferencesOfTheClocksDoNotMatter) {
    ReapGuard guard(kLease_s);
    double store_s = 1e9, monotonic_s = 7;
    pass_for(guard, store_s, monotonic_s, 100);

    EXPECT_TRUE(guard.may_reap(store_s += 6.5, monotonic_s += 5));
}

TEST(ReapGuard, LeaseBeginsAnewAfterAnInterruption) {
    ReapGuard guard(kLease_s);
    double store_s = 1e9, monotonic_s = 7;
    ASSERT_TRUE(pass_for(guard, store_s, monotonic_s, 100));

    guard.interrupted();

    EXPECT_FALSE(pass_for(guard, store_s, monotonic_s, 30));
    EXPECT_TRUE(pass_for(guard, store_s, monotonic_s, 5));
}

}  // namespace
}  // namespace kaname::scheduler::reap_guard_test
