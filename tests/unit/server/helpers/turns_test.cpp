// SPDX-License-Identifier: BSD-3-Clause
// Shares of what there is only so much of: nobody takes all of it, those who wait take turns.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/helpers/compute.hpp"

namespace kaname::helpers::turns_test {
namespace {

using Share = std::unique_ptr<ShareQueue::Share>;

Share take(ShareQueue& turns, const std::string& owner, std::int64_t amount = 1) {
    EXPECT_TRUE(turns.wait_for({owner, {}}, amount));
    return std::make_unique<ShareQueue::Share>(turns, owner, amount);
}
/// True when it would have to wait.
bool waits(ShareQueue& turns, const std::string& owner, std::int64_t amount = 1) {
    int n_asked = 0;
    if (turns.wait_for({owner, [&] { return ++n_asked > 1; }}, amount)) {
        const ShareQueue::Share share(turns, owner, amount);
        return false;
    }
    return true;
}

TEST(TurnsTest, OneOwnerDoesNotHaveThemAll) {
    ShareQueue turns(2, 1);
    const Share first = take(turns, "alice");

    EXPECT_TRUE(waits(turns, "alice"));
    EXPECT_FALSE(waits(turns, "bob"));
}

TEST(TurnsTest, WhatIsLargerThanAnyShareHasItAlone) {
    ShareQueue turns(64, 32);
    Share all = take(turns, "alice", 200);

    EXPECT_TRUE(waits(turns, "bob"));
    all.reset();
    EXPECT_FALSE(waits(turns, "bob"));
}

TEST(TurnsTest, TheOwnerWhoHasLeastComesFirst) {
    ShareQueue turns(2, 2);
    Share first = take(turns, "alice"), second = take(turns, "alice");
    std::vector<std::jthread> callers;
    std::atomic<int> n_alice = 0;
    std::atomic<bool> bob = false;
    for (int k = 0; k < 3; ++k) {
        callers.emplace_back([&] {
            const Share share = take(turns, "alice");
            EXPECT_TRUE(bob) << "bob has nothing yet";
            ++n_alice;
        });
    }
    while (turns.n_waiting("alice") < 3) {
        std::this_thread::yield();
    }
    callers.emplace_back([&] {
        const Share share = take(turns, "bob");
        bob = true;
    });
    while (turns.n_waiting("bob") < 1) {
        std::this_thread::yield();
    }

    first.reset();
    callers.clear();

    EXPECT_EQ(n_alice, 3);
    EXPECT_FALSE(waits(turns, "eve"));
}

TEST(TurnsTest, WhoeverHasGoneStandsInNobodysWay) {
    ShareQueue turns(1, 1);
    Share first = take(turns, "alice");
    std::int64_t one = 1;

    EXPECT_FALSE(turns.wait_for({"bob", [] { return true; }}, one));
    EXPECT_EQ(turns.n_waiting("bob"), 0);
    first.reset();
    EXPECT_FALSE(turns.is_full());
}

}  // namespace
}  // namespace kaname::helpers::turns_test
