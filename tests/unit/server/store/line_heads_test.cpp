// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/store/postgres/postgres_store.hpp"

namespace kaname::store::line_heads_test {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

const Strings kPools = {"cpu", "solve"};

struct LineHeadsTest : testing::Test {
    QueueCursors heads;
    QueueCursors::Clock::time_point now = QueueCursors::Clock::now();

    int priority(const std::string& owner) {
        return static_cast<int>(heads.of(kPools, owner, now).priorities.at(1));
    }
};

TEST_F(LineHeadsTest, AnUnknownLineIsLookedAtFromItsBeginning) {
    const QueuePositions places = heads.of(kPools, "ann", now);
    EXPECT_EQ(places.pools, kPools);
    EXPECT_EQ(places.run_at, (Strings{"-infinity", "-infinity"}));
    EXPECT_EQ(places.priorities[0], QueuePosition::kBeforeAll);
    EXPECT_TRUE(heads.known(kPools, now).owners.empty());
}

TEST_F(LineHeadsTest, APlaceHoldsUntilTheLineIsLookedAtWholeAgain) {
    heads.note_whole("solve", "ann", {5, "2026-01-01", 3, 30}, 1ms, now);
    now += QueueCursors::kKept;
    heads.note("solve", "ann", {5, "2026-01-02", 4, 40});  // no look at all of it
    EXPECT_EQ(heads.of(kPools, "ann", now).task_ids, (std::vector<std::int64_t>{0, 40}));
    EXPECT_EQ(heads.known(kPools, now).owners, Strings{"ann"});
    EXPECT_EQ(priority("bea"), QueuePosition::kBeforeAll);
    now += 1ms;
    EXPECT_EQ(priority("ann"), QueuePosition::kBeforeAll);
    EXPECT_TRUE(heads.known(kPools, now).owners.empty());
}

TEST_F(LineHeadsTest, APlaceThatTookLongToFindHoldsLonger) {
    heads.note_whole("solve", "ann", {5, "2026-01-01", 3, 30}, 200ms, now);
    heads.note_whole("solve", "bea", {6, "2026-01-01", 3, 30}, 5s, now);
    now += 10s;
    EXPECT_EQ(priority("ann"), 5);
    now += 1ms;
    EXPECT_EQ(priority("ann"), QueuePosition::kBeforeAll);
    now += 20s - 1ms;
    EXPECT_EQ(priority("bea"), 6);
    now += 1ms;
    EXPECT_EQ(priority("bea"), QueuePosition::kBeforeAll);
}

TEST_F(LineHeadsTest, WhatWasForgottenMeanwhileStaysForgotten) {
    heads.note_whole("solve", "ann", {5, "2026-01-01", 3, 30}, 1ms, now);
    heads.note_whole("solve", "bea", {6, "2026-01-01", 3, 30}, 1ms, now);
    heads.forget(kPools, "ann");
    heads.note("solve", "ann", {5, "2026-01-02", 4, 40});
    EXPECT_EQ(priority("ann"), QueuePosition::kBeforeAll);
    EXPECT_EQ(priority("bea"), 6);
    heads.forget_all();
    EXPECT_EQ(priority("bea"), QueuePosition::kBeforeAll);
}

TEST_F(LineHeadsTest, OnlyLinesOfThePoolsThatAreAskedForAreKnown) {
    heads.note_whole("gpu", "ann", {5, "2026-01-01", 3, 30}, 1ms, now);
    EXPECT_TRUE(heads.known(kPools, now).owners.empty());
    EXPECT_EQ(heads.known(Strings{"gpu"}, now).owners, Strings{"ann"});
}

}  // namespace
}  // namespace kaname::store::line_heads_test
