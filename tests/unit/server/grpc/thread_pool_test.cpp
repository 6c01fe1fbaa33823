// SPDX-License-Identifier: BSD-3-Clause
// Threads that those who want them have in turn.
#include <latch>

#include <gtest/gtest.h>

#include "server/grpc/host.hpp"

namespace kaname::rpc::thread_pool_test {
namespace {

TEST(ThreadPoolTest, OneHasNotAllThreads) {
    std::latch release(1), blocked(1), other(1);
    std::atomic<int> n_done = 0;
    {
        ThreadPool pool(2, 100);
        for (int k = 0; k < 5; ++k) {
            pool.submit(
                [&] {
                    if (n_done++ == 0) {
                        blocked.count_down();
                        release.wait();
                    }
                },
                "mal");
        }
        blocked.wait();
        pool.submit([&] { other.count_down(); }, "ann");

        other.wait();  // beside the one that stands, before mal's other four

        EXPECT_EQ(n_done, 1);
        release.count_down();
    }
    EXPECT_EQ(n_done, 5) << "what is queued is done before its end";
}

TEST(ThreadPoolTest, ThoseWhoWaitTakeTurns) {
    std::latch release(1), blocked(1);
    std::string order;
    {
        ThreadPool pool(1, 100);
        pool.submit([&] {
            blocked.count_down();
            release.wait();
        });
        blocked.wait();
        for (const char* whose : {"m", "m", "m", "a", "a"}) {
            pool.submit([&order, whose] { order += whose; }, whose);
        }
        release.count_down();
    }

    EXPECT_EQ(order, "mamam");
}

TEST(ThreadPoolTest, AFullQueueRefuses) {
    std::latch release(1), blocked(1);
    ThreadPool pool(1, 1);
    pool.submit([&] {
        blocked.count_down();
        release.wait();
    });
    blocked.wait();

    EXPECT_TRUE(pool.try_submit([] {}, "ann"));
    EXPECT_FALSE(pool.try_submit([] {}, "bob"));
    release.count_down();
}

}  // namespace
}  // namespace kaname::rpc::thread_pool_test
