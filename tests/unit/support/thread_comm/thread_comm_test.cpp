// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/thread_comm/thread_comm.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::comm::thread_comm_test {
namespace {

template <class Act>
std::string message_of(Act act) {
    try {
        act();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing thrown";
}

TEST(ThreadComm, RanksAreNumberedAndCounted) {
    std::vector<int> seen(4, -1);

    run_as_threads(4,
                   [&](Comm& comm) { seen[static_cast<std::size_t>(comm.rank())] = comm.size(); });

    EXPECT_EQ(seen, std::vector<int>(4, 4));
}

TEST(ThreadComm, FirstExceptionReachesTheCallerAndOthersAreReleased) {
    std::atomic<int> released = 0;

    const std::string message = message_of([&] {
        run_as_threads(4, [&](Comm& comm) {
            if (comm.rank() == 2) {
                throw Error(ErrorCode::NotFound, "no such thing");
            }
            try {
                comm.barrier();
            } catch (const Error& e) {
                EXPECT_EQ(e.code(), ErrorCode::Unavailable);
                EXPECT_STREQ(e.what(), "rank 2 failed");
                ++released;
                throw;
            }
        });
    });

    EXPECT_EQ(message, "no such thing");
    EXPECT_EQ(released, 3);
}

TEST(ThreadComm, FailureReleasesAWaitingExchange) {
    const std::string message = message_of([] {
        run_as_threads(2, [](Comm& comm) {
            if (comm.rank() == 1) {
                throw Error(ErrorCode::Internal, "lost");
            }
            Bytes in(8);
            const std::vector<Message> receives = {{1, in}};
            comm.start_exchange({}, receives);
            comm.finish_exchange();
        });
    });

    EXPECT_EQ(message, "lost");
}

TEST(ThreadComm, RankThatReturnsEarlyIsNamed) {
    const std::string message = message_of([] {
        run_as_threads(3, [](Comm& comm) {
            if (comm.rank() != 1) {
                comm.barrier();
            }
        });
    });

    EXPECT_EQ(message, "rank 1 returned while others wait in a collective");
}

TEST(ThreadComm, UnequalReductionLengthsAreRefused) {
    const std::string message = message_of([] {
        run_as_threads(2, [](Comm& comm) {
            std::vector<double> values(static_cast<std::size_t>(1 + comm.rank()), 1.0);
            comm.sum(std::span<double>(values));
        });
    });

    EXPECT_NE(message.find("reduces"), std::string::npos) << message;
}

TEST(ThreadComm, UnequalMessageSizesAreRefused) {
    const std::string message = message_of([] {
        run_as_threads(2, [](Comm& comm) {
            Bytes out(4);
            Bytes in(5);
            const std::vector<Message> sends = {{1 - comm.rank(), out}};
            const std::vector<Message> receives = {{1 - comm.rank(), in}};
            comm.start_exchange(sends, receives);
            comm.finish_exchange();
        });
    });

    EXPECT_NE(message.find("sent 4 bytes"), std::string::npos) << message;
}

TEST(ThreadComm, ZeroRanksAreRefused) {
    EXPECT_EQ(message_of([] { run_as_threads(0, [](Comm&) {}); }), "ranks must be >= 1, got 0");
}

}  // namespace
}  // namespace kaname::comm::thread_comm_test
