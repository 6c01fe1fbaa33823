// SPDX-License-Identifier: BSD-3-Clause
// Only a real database can get these wrong: races, lost connections, migrations, many rows.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/package_players.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::conformance::postgres_test {
namespace {

using store::Held;
using store::Job;
using store::JobState;
using store::PostgresStore;

TEST_F(PostgresTest, ClaimersThatRaceNeverShareATaskAndEveryJobEnds) {
    constexpr int kThreads = 4;
    constexpr int kJobs = 8;
    constexpr int kSources = 40;
    PostgresStore store(conninfo_, {});
    std::mutex mutex;
    std::map<std::string, int> completions;
    std::vector<std::string> jobs;
    std::atomic<int> n_submitted{0}, n_errors{0};
    std::atomic<bool> done{false};
    const auto work = [&](int number) {
        try {
            std::mt19937 random(static_cast<unsigned>(number));
            const std::string worker = store::make_uuid();
            store.register_worker({worker, "racer"});
            while (!done) {
                if (const int job = n_submitted++; job < kJobs) {
                    // Half of the sources are the next job's too.
                    const auto submitted = store.submit(
                        batch(job * kSources / 2, kSources, "request " + std::to_string(job)));
                    const std::lock_guard lock(mutex);
                    jobs.push_back(submitted.job_id);
                }
                const auto pack = store.claim({worker, pools(), store::make_uuid(), "m", ""});
                std::vector<store::Completion> results;
                for (const store::ClaimedTask& task : pack) {
                    if (random() % 8 == 0) {
                        const Held held = task.held();
                        store.return_tasks(worker, {&held, 1});
                    } else {
                        results.push_back(
                            {task.held(), sha256_hex(task.content_key), "file", 1, false});
                    }
                }
                const auto accepted = store.complete(worker, results);
                const std::lock_guard lock(mutex);
                std::size_t at = 0;
                for (const store::ClaimedTask& task : pack) {
                    if (at < results.size() && results[at].task == task.held()) {
                        completions[task.content_key] += accepted[at] == store::LeaseResult::Ok;
                        ++at;
                    }
                }
            }
        } catch (const std::exception& error) {
            ++n_errors;
            ADD_FAILURE() << error.what();
        }
    };

    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back(work, thread);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto all_ended = [&] {
        const std::lock_guard lock(mutex);
        return jobs.size() == kJobs && std::ranges::all_of(jobs, [&](const std::string& job) {
                   return store.get_job(job).state == JobState::Done;
               });
    };
    while (n_errors == 0 && !all_ended() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    done = true;
    threads.clear();

    EXPECT_TRUE(all_ended());
    for (const auto& [key, count] : completions) {
        EXPECT_EQ(count, 1) << key;
    }
    EXPECT_EQ(completions.size(), std::size_t{(kJobs + 1) * kSources / 2 + 1 + kJobs});
    for (const std::string& job : jobs) {
        const Job ended = store.get_job(job);
        const auto events = store.list_events(job, 0, 1000);
        ASSERT_EQ(static_cast<std::int64_t>(events.size()), ended.event_seq);
        EXPECT_EQ(ended.n_done, kSources + 2);
    }
}

TEST_F(PostgresTest, UsersWhoRaceNeverHaveADoneJobWithoutASource) {
    constexpr int kRounds = 6;
    constexpr unsigned kUsers = 3;
    PostgresStore whole(conninfo_, {}), in_pieces(conninfo_, {.bulk_piece = 2});
    for (int round = 0; round < kRounds; ++round) {
        PostgresStore& store = round % 2 == 0 ? whole : in_pieces;
        PackageTable table(store, round);
        std::atomic<int> n_errors{0};
        {
            std::vector<std::jthread> users;
            for (unsigned user = 0; user < kUsers; ++user) {
                users.emplace_back([&, user] {
                    try {
                        PackagePlayer player(table, kUsers * static_cast<unsigned>(round) + user);
                        for (int step = 0; step < 60; ++step) {
                            player.step();
                        }
                        player.end_all();
                    } catch (const std::exception& error) {
                        ++n_errors;
                        ADD_FAILURE() << error.what();
                    }
                });
            }
        }
        ASSERT_EQ(n_errors, 0);
        // A retry can revive items that a cancel had not listed; the service goes on with that one,
        // and nothing of its owner is claimed meanwhile.
        for (const std::string& job : table.jobs()) {
            while (store.finish_bulk(job)) {
            }
        }
        PackagePlayer(table, 0).end_all();

        SCOPED_TRACE(round);
        table.expect_right();
    }
}

TEST_F(PostgresTest, ThousandsOfSourcesAreSubmittedListedAndCancelled) {
    PostgresStore store(conninfo_, {});

    const std::string job = store.submit(batch(0, 5000, "many")).job_id;  // in three pieces
    std::size_t n_listed = 0;
    std::string token;
    do {
        const auto page = store.list_items(job, 1000, token);
        n_listed += page.rows.size();
        token = page.next;
    } while (!token.empty());
    const Job cancelled = store.cancel_job(job);

    EXPECT_EQ(n_listed, 5002U);
    EXPECT_EQ(cancelled.n_cancelled, 5002);
    EXPECT_EQ(store.count_tasks().blocked, 0);
    EXPECT_EQ(store.retry_job(job).n_live, 5002);
}

TEST_F(PostgresTest, ACrashOfTheDatabaseIsSurvived) {
    PostgresStore store(conninfo_, {});
    const std::string job = store.submit(batch(0, 5, "before")).job_id;

    support::PrivatePostgres::instance().crash_and_restart();

    EXPECT_EQ(store.get_job(job).n_live, 7);
    EXPECT_EQ(store.submit(batch(5, 5, "after")).n_created, 6);
}

TEST_F(PostgresTest, AnUnreachableDatabaseIsUnavailable) {
    try {
        PostgresStore store("host=" + support::absent("socket") + " dbname=none user=kaname", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    }
}

TEST_F(PostgresTest, MigrationsAreAppliedOnceAndGuarded) {
    take_empty_database();
    store::Pool pool(conninfo_, 1);
    const std::vector<store::Migration> one = {{"001_a", "create table a (x integer)"}};
    std::vector<store::Migration> two = one;
    two.push_back({"002_b", "create table b (y integer)"});
    const auto code_of = [&](const std::vector<store::Migration>& migrations) {
        try {
            store::migrate(pool, true, migrations);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    };

    EXPECT_EQ(store::migrate(pool, true, one), std::vector<std::string>{"001_a"});
    EXPECT_EQ(store::migrate(pool, false, one), std::vector<std::string>{"001_a"});
    EXPECT_EQ(store::migrate(pool, false, two), std::vector<std::string>{"002_b"});
    EXPECT_TRUE(store::migrate(pool, false, two).empty());
    EXPECT_EQ(code_of(one), ErrorCode::Conflict);  // the database is newer
    two[0].sql += " ";
    EXPECT_EQ(code_of(two), ErrorCode::Conflict);  // changed after it was applied
}

TEST_F(PostgresTest, AFailedMigrationLeavesNothing) {
    take_empty_database();
    store::Pool pool(conninfo_, 1);

    EXPECT_THROW(
        store::migrate(pool, false,
                       {{"001_a", "create table a (x integer)"}, {"002_b", "create nonsense"}}),
        Error);

    EXPECT_EQ(store::migrate(pool, true, {{"001_a", ""}}), std::vector<std::string>{"001_a"});
}

}  // namespace
}  // namespace kaname::conformance::postgres_test
