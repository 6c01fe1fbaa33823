// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/scheduler/worker_pool.hpp"

namespace kaname::scheduler::backlog_test {
namespace {

class BacklogTest : public ::testing::Test {
protected:
    /// One look, after which all wanted agents were started.
    int start(const BacklogCounts& counts) {
        const int n = backlog.to_start(counts, now_s);
        for (int started = 0; started < n; ++started) {
            backlog.started(now_s);
        }
        return n;
    }

    double now_s = 1000;
    Backlog backlog{{.max_agents = 3,
                     .pack = 4,
                     .early_end_s = 20,
                     .first_pause_s = 2,
                     .longest_pause_s = 300}};
};

TEST_F(BacklogTest, NoAgentWithoutWork) {
    EXPECT_EQ(start({.ready = 0, .alive = 0, .busy = 0}), 0);
}

TEST_F(BacklogTest, OneAgentForEachPackWithinTheLimit) {
    EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s), 1);
    EXPECT_EQ(backlog.to_start({.ready = 5, .alive = 0, .busy = 0}, now_s), 2);
    EXPECT_EQ(backlog.to_start({.ready = 500, .alive = 1, .busy = 1}, now_s), 2);
    EXPECT_EQ(backlog.to_start({.ready = 500, .alive = 3, .busy = 3}, now_s), 0);
}

TEST_F(BacklogTest, DeadAgentThatStillHoldsTasksIsNotCountedTwice) {
    EXPECT_EQ(backlog.to_start({.ready = 4, .alive = 0, .busy = 1}, now_s), 1);
}

TEST_F(BacklogTest, FreeAgentsAndThoseOnTheirWayAreEnough) {
    EXPECT_EQ(start({.ready = 4, .alive = 1, .busy = 0}), 0);
    EXPECT_EQ(start({.ready = 4, .alive = 1, .busy = 1}), 1);
}

TEST_F(BacklogTest, LimitZeroStartsNone) {
    Backlog none({.max_agents = 0});

    EXPECT_EQ(none.to_start({.ready = 9, .alive = 0, .busy = 0}, now_s), 0);
}

TEST_F(BacklogTest, StartsThatFailWaitTwiceAsLongEachTime) {
    for (const double pause_s : {2, 4, 8, 16}) {
        EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s), 1);
        backlog.failed(now_s);
        EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s + pause_s - 0.1), 0);
        now_s += pause_s;
    }
}

TEST_F(BacklogTest, PauseHasALimit) {
    for (int n = 0; n < 100; ++n) {
        backlog.failed(now_s);
    }

    EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s + 300), 1);
}

TEST_F(BacklogTest, AgentThatEndsAtOnceCountsAsAFailedStart) {
    EXPECT_EQ(start({.ready = 1, .alive = 0, .busy = 0}), 1);

    now_s += 1;

    EXPECT_EQ(start({.ready = 1, .alive = 0, .busy = 0}), 0);
    EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s + 2), 1);
}

TEST_F(BacklogTest, AgentThatLeftAfterALongLifeIsReplacedAtOnce) {
    start({.ready = 1, .alive = 0, .busy = 0});
    now_s += 60;
    start({.ready = 0, .alive = 1, .busy = 1});
    now_s += 60;

    EXPECT_EQ(start({.ready = 1, .alive = 0, .busy = 0}), 1);
}

TEST_F(BacklogTest, HealthyAgentEndsTheSeriesOfFailures) {
    backlog.failed(now_s);
    backlog.failed(now_s);
    now_s += 10;
    start({.ready = 1, .alive = 0, .busy = 0});
    now_s += 60;
    start({.ready = 0, .alive = 1, .busy = 0});

    backlog.failed(now_s);

    EXPECT_EQ(backlog.to_start({.ready = 1, .alive = 0, .busy = 0}, now_s + 2), 1);
}

TEST_F(BacklogTest, AgentsThatWaitForNothingAreWithdrawnOnceThatHasLasted) {
    const BacklogCounts many{.ready = 3, .alive = 3, .busy = 1, .waiting = 2};
    EXPECT_EQ(backlog.to_withdraw(many, now_s), 0);
    EXPECT_EQ(backlog.to_withdraw(many, now_s + 59), 0);
    EXPECT_EQ(backlog.to_withdraw(many, now_s + 60), 1);  // the other is for the three tasks

    // More work, and the time begins anew.
    EXPECT_EQ(backlog.to_withdraw({.ready = 9, .alive = 3, .busy = 1, .waiting = 2}, now_s + 61),
              0);
    EXPECT_EQ(backlog.to_withdraw(many, now_s + 100), 0);
}

}  // namespace
}  // namespace kaname::scheduler::backlog_test
