// SPDX-License-Identifier: BSD-3-Clause
// Looks at the store that all who wait share: kept while nothing changes, for a few seconds at
// most.
#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "server/service/admin/meters.hpp"
#include "server/service/jobs/progress_board.hpp"
#include "server/service/workers/ready_board.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::service::looks_test {
namespace {

using Owners = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

class Looks : public testing::Test {
protected:
    std::string submit(const std::string& owner) {
        store::Submission submission;
        submission.principal = submission.owner = owner;
        submission.request_id = submission.body_sha256 = sha256_hex(owner);
        submission.name = submission.request = "a long text";
        submission.items.push_back({sha256_hex(owner), "solve", "", "solve"});
        return store_.submit(submission).job_id;
    }

    store::memory::MemoryStore store_{{}, [] { return 1000.0; }};
    ChangeNotifier wakeups_;
    const Owners pools_ = {"solve"};
    const Clock::time_point start_ = Clock::now();
};

TEST_F(Looks, OwnersAreAskedForAfterAChangeAndAfterAWhile) {
    ReadyBoard board(store_, wakeups_);
    EXPECT_EQ(board.owners(pools_, start_), Owners{});
    submit("ann");
    EXPECT_EQ(board.owners(pools_, start_), Owners{}) << "nobody told of it";
    wakeups_.notify();
    EXPECT_EQ(board.owners(pools_, start_), Owners{"ann"});
    submit("bob");
    EXPECT_EQ(board.owners(pools_, start_), Owners{"ann"});
    EXPECT_EQ(board.owners({"cpu"}, start_), Owners{});
    EXPECT_EQ(board.owners(pools_, start_ + ReadyBoard::kNet), (Owners{"ann", "bob"}));
}

/// Takes its time, so that others come meanwhile.
class SlowStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    std::vector<std::string> ready_owners(std::span<const std::string> pools) override {
        ++n_looks;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return MemoryStore::ready_owners(pools);
    }
    std::atomic<int> n_looks = 0;
};

TEST_F(Looks, WhoComesDuringALookWaitsForIt) {
    SlowStore slow{{}, [] { return 1000.0; }};
    ReadyBoard board(slow, wakeups_);
    {
        std::vector<std::jthread> workers;
        for (int k = 0; k < 8; ++k) {
            workers.emplace_back([&] { EXPECT_EQ(board.owners(pools_), Owners{}); });
        }
    }
    EXPECT_EQ(slow.n_looks, 1);
}

TEST_F(Looks, OneLookIsForAllJobsThatAreWatched) {
    WatchedJobs board(store_, wakeups_);
    const std::string ann = submit("ann"), bob = submit("bob");
    const WatchedJobs::Watch anns(board, ann), bobs(board, bob);
    EXPECT_EQ(anns.event_seq(start_), 1);
    store_.cancel_job(ann);
    store_.cancel_job(bob);
    EXPECT_EQ(bobs.event_seq(start_), 1) << "was looked at with the other";
    wakeups_.notify();
    EXPECT_EQ(bobs.event_seq(start_), 3);
    store_.retry_job(ann);
    EXPECT_EQ(anns.event_seq(start_), 3);
    EXPECT_EQ(anns.event_seq(start_ + WatchedJobs::kNet), 4);
}

TEST_F(Looks, AJobThatIsGoneIsTold) {
    WatchedJobs board(store_, wakeups_);
    const std::string ann = submit("ann");
    const WatchedJobs::Watch watch(board, ann);
    EXPECT_EQ(watch.event_seq(start_), 1);
    store_.cancel_job(ann);
    store_.delete_job(ann, "");
    wakeups_.notify();
    EXPECT_THROW((void)watch.event_seq(start_), Error);
    EXPECT_THROW((void)watch.event_seq(start_), Error) << "also from what is kept";
}

TEST_F(Looks, AWatchIsNotSentTheSpecification) {
    const std::string job = submit("ann");
    EXPECT_EQ(store_.look_at_job(job).request, "");
    EXPECT_EQ(store_.look_at_job(job).name, "a long text");
    EXPECT_EQ(store_.get_job(job).request, "a long text");
}

class ProgressOfLargeJobs : public Looks {
protected:
    /// Asks so many milliseconds after the start; a look says how many there were.
    std::string asked(int after_ms, const std::string& key = "a") {
        const auto look = [this] {
            v1::JobProgress progress;
            if (fails_) {
                throw Error(ErrorCode::Unavailable, "database: gone");
            }
            progress.set_text(std::to_string(++n_looks_));
            return progress;
        };
        return looks_.of(key, look, start_ + std::chrono::milliseconds(after_ms)).text();
    }
    /// Returns what is said once the thread has looked so often.
    std::string asked_until(int n_looks, int after_ms) {
        while (n_looks_ < n_looks || asked(after_ms) != std::to_string(n_looks)) {
            std::this_thread::yield();
        }
        return asked(after_ms);
    }

    std::atomic<bool> fails_ = false;
    std::atomic<int> n_looks_ = 0;
    ProgressLooks looks_;
};

TEST_F(ProgressOfLargeJobs, WhoAsksAgainSoonDoesNotWaitForALook) {
    EXPECT_EQ(asked(0), "1");
    EXPECT_EQ(asked(500), "1");
    EXPECT_EQ(asked(501), "1") << "what was known, while a thread looks anew";
    EXPECT_EQ(asked_until(2, 501), "2");
    EXPECT_EQ(asked(1000), "2") << "and one look is enough";
    EXPECT_EQ(n_looks_, 2);
}

TEST_F(ProgressOfLargeJobs, WhatIsOlderThanTwoSecondsIsNotTold) {
    EXPECT_EQ(asked(0), "1");
    EXPECT_EQ(asked(2001), "2");
    EXPECT_EQ(asked(2001, "b"), "3") << "another job";
}

TEST_F(ProgressOfLargeJobs, WhatALookThatFailsSaysIsToldToWhoAsksNext) {
    EXPECT_EQ(asked(0), "1");
    fails_ = true;
    EXPECT_EQ(asked(600), "1");
    EXPECT_THROW(
        {
            while (true) {
                (void)asked(600);
            }
        },
        Error);
    fails_ = false;
    EXPECT_EQ(asked(600), "2");
}

/// A database with a transaction whose beginning the role may not see.
class SecretiveStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    store::DatabaseState look_at_database() override {
        return {.version = "15", .oldest_xmin_age_s = known_s, .hidden_holders = holders};
    }
    double known_s = 0;
    std::vector<std::string> holders;
};

class DatabaseLooks : public testing::Test {
protected:
    double age_after(int seconds) {
        now_ += std::chrono::seconds(seconds);
        return look_.read().oldest_xmin_age_s;
    }
    SecretiveStore store_{{}, [] { return 1000.0; }};
    Clock::time_point now_ = Clock::now();
    DatabaseLook look_{store_, [this] { return now_; }};
};

TEST_F(DatabaseLooks, ATransactionThatBeganBetweenTwoLooksHasTheAgeOfTheFirst) {
    EXPECT_EQ(age_after(0), 0);
    store_.holders = {"7 3/5"};
    EXPECT_EQ(age_after(20), 20);
    EXPECT_EQ(age_after(20), 40);
    store_.known_s = 50;
    EXPECT_EQ(age_after(20), 60);
    store_.holders = {"7 3/6"};  // the same session, another transaction
    EXPECT_EQ(age_after(20), 50);
}

TEST_F(DatabaseLooks, AnAgeThatIsNotKnownIsNotNone) {
    store_.holders = {"7 3/5"};
    EXPECT_TRUE(std::isnan(age_after(0)));
    EXPECT_TRUE(std::isnan(age_after(30)));
    EXPECT_EQ(age_after(40), 70);
    store_.holders.clear();
    EXPECT_EQ(age_after(20), 0);
}

}  // namespace
}  // namespace kaname::service::looks_test
