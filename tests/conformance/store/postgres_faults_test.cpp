// SPDX-License-Identifier: BSD-3-Clause
// Sessions that the server ends, workers that are lost while they complete, very large jobs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <thread>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::postgres_faults_test {
namespace {

using store::ClaimedTask;
using store::Completion;
using store::Held;
using store::Job;
using store::JobState;
using store::LeaseResult;
using store::PostgresStore;

using SteadyClock = std::chrono::steady_clock;

/// Repeats a call, with the same ids, until the database answers: what every client does.
template <typename F>
auto insist(const F& call) -> decltype(call()) {
    const auto deadline = SteadyClock::now() + std::chrono::seconds(30);
    for (;;) {
        try {
            return call();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unavailable || SteadyClock::now() > deadline) {
                throw;
            }
        }
    }
}

/// History records the observations of the workers in a race, and checks what must hold of them.
class History {
public:
    void assigned(const std::vector<ClaimedTask>& pack) {
        const std::lock_guard lock(mutex_);
        for (const ClaimedTask& task : pack) {
            EXPECT_TRUE(assigned_.insert(task.held()).second) << "assigned twice: " << task.label;
        }
    }
    void completed(const std::string& key) {
        const std::lock_guard lock(mutex_);
        ++completions_[key];
    }
    /// Every key once, and no other.
    void expect_once(const std::set<std::string>& keys) {
        EXPECT_EQ(completions_.size(), keys.size());
        for (const auto& [key, count] : completions_) {
            EXPECT_EQ(count, 1) << key;
            EXPECT_TRUE(keys.contains(key)) << key;
        }
    }

private:
    std::mutex mutex_;
    std::set<Held> assigned_;
    std::map<std::string, int> completions_;
};

/// One worker after another: each works until the store says that it was lost.
class Incarnation {
public:
    explicit Incarnation(PostgresStore& store) : store_(store) { renew(); }

    /// Claims and completes one pack, now and then returning a task, failing it or falling silent.
    /// False when there was nothing to do.
    bool work(std::mt19937& random, const std::vector<std::string>& pools, History& history) {
        std::vector<ClaimedTask> pack;
        const std::string claim_id = store::make_uuid();
        try {
            pack = insist([&] { return store_.claim({id_, pools, claim_id, "m", ""}); });
        } catch (const Error& error) {
            if (error.code() != ErrorCode::NotFound) {
                throw;
            }
            renew();
            return true;
        }
        history.assigned(pack);
        for (const ClaimedTask& task : pack) {
            const Held held = task.held();
            const unsigned fate = random() % 16;
            if (fate == 0) {
                insist([&] { return store_.return_tasks(id_, {&held, 1}); });
            } else if (fate == 1) {
                insist([&] { return store_.fail(id_, {held, "hung", "no progress", true}); });
            } else if (fate == 2) {
                renew();  // this incarnation, with the rest of its pack, is never heard of again
                return true;
            } else {
                const Completion done{held, sha256_hex(task.content_key), "file", 1, false};
                const auto answer = insist([&] { return store_.complete(id_, {&done, 1}); });
                if (answer.front() == LeaseResult::Ok) {
                    history.completed(task.content_key);
                }
            }
        }
        return !pack.empty();
    }

private:
    void renew() {
        id_ = store::make_uuid();
        insist([&] { store_.register_worker({id_, "racer"}); });
    }

    PostgresStore& store_;
    std::string id_;
};

std::set<std::string> keys_of(const std::vector<store::Submission>& submissions) {
    std::set<std::string> keys;
    for (const store::Submission& submission : submissions) {
        for (const store::WantedItem& item : submission.items) {
            keys.insert(item.content_key);
        }
    }
    return keys;
}

/// The workers of `store` until all the jobs have ended, `disturb` going on beside them.
void run_to_the_end(PostgresStore& store, const std::vector<std::string>& jobs, History& history,
                    const std::vector<std::string>& pools, const std::function<void()>& disturb) {
    constexpr int kWorkers = 3;
    std::atomic<bool> over{false};
    const auto guarded = [&](const std::function<void()>& body) {
        try {
            while (!over) {
                body();
            }
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
            over = true;
        }
    };
    const auto deadline = SteadyClock::now() + std::chrono::seconds(90);
    std::vector<std::jthread> threads;
    for (int number = 0; number < kWorkers; ++number) {
        threads.emplace_back([&, number] {
            std::mt19937 random(static_cast<unsigned>(number));
            Incarnation worker(store);
            guarded([&] { worker.work(random, pools, history); });
        });
    }
    threads.emplace_back([&] { guarded(disturb); });
    guarded([&] {
        const bool ended = std::ranges::all_of(jobs, [&](const std::string& job) {
            return insist([&] { return store.get_job(job); }).state != JobState::Active;
        });
        over = over || ended || SteadyClock::now() > deadline;
    });
}

void expect_done(PostgresStore& store, const std::vector<std::string>& jobs) {
    for (const std::string& id : jobs) {
        const Job job = insist([&] { return store.get_job(id); });
        EXPECT_EQ(job.state, JobState::Done);
        EXPECT_EQ(job.n_done, job.n_total);
        const auto events = insist([&] { return store.list_events(id, 0, 1000); });
        ASSERT_EQ(static_cast<std::int64_t>(events.size()), job.event_seq);
        for (std::size_t i = 0; i < events.size(); ++i) {
            EXPECT_EQ(events[i].seq, static_cast<std::int64_t>(i + 1));
        }
    }
}

store::StoreOptions short_delays() {
    store::StoreOptions options;
    options.lease_s = 0.2;
    options.poison = 1000;
    options.max_attempts = 1000;
    options.backoff_s = options.backoff_max_s = 0.001;
    return options;
}

TEST_F(PostgresTest, LosingWorkersAndCancellingTwinsNeitherLosesNorRepeatsAResult) {
    PostgresStore store(conninfo_, short_delays());
    std::vector<store::Submission> submissions;
    std::vector<std::string> jobs;
    for (int job = 0; job < 5; ++job) {
        submissions.push_back(batch(100 * job, 200, "job " + std::to_string(job)));
        jobs.push_back(store.submit(submissions.back()).job_id);
    }
    History history;
    int n_twins = 0;

    run_to_the_end(store, jobs, history, pools(), [&] {
        store.reap();
        // Joins whatever is still under way and leaves it again.
        store::Submission twin = submissions[static_cast<std::size_t>(n_twins) % 5];
        twin.request_id = "twin " + std::to_string(++n_twins);
        store.cancel_job(store.submit(twin).job_id);
    });

    expect_done(store, jobs);
    history.expect_once(keys_of(submissions));
    const store::TaskCounts left = store.count_tasks();
    EXPECT_EQ(left.blocked + left.ready + left.running, 0);
}

TEST_F(PostgresTest, TextWithANulIsRefusedAndNotCutOff) {
    store::Connection connection(conninfo_);
    try {
        (void)connection.run("select $1::text", {std::string("jobs/a\0b", 8)});
        FAIL() << "taken for jobs/a";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_STREQ(error.what(), "text must have no NUL, got 'jobs/a\\u0000b'");
    }
    EXPECT_EQ(connection.run("select $1::text", {"b"}).text(0, 0), "b");
}

TEST_F(PostgresTest, SessionsThatTheServerEndsAreReplacedAndNothingIsDoneTwice) {
    PostgresStore store(conninfo_, short_delays());
    const std::vector<store::Submission> submissions = {batch(0, 400, "job")};
    const std::vector<std::string> jobs = {store.submit(submissions[0]).job_id};
    store::Connection killer(conninfo_);
    History history;
    int n_ended = 0;

    run_to_the_end(store, jobs, history, pools(), [&] {
        n_ended += killer
                       .run(
                           "select pg_terminate_backend(pid) from pg_stat_activity "
                           "where datname = current_database() and pid <> pg_backend_pid() "
                           "order by random() limit 1")
                       .size();
        for (int call = 0; call < 10; ++call) {  // leaves room for work between two faults
            insist([&] { return store.reap(); });
        }
    });

    EXPECT_GT(n_ended, 10);
    expect_done(store, jobs);
    history.expect_once(keys_of(submissions));
}

TEST_F(PostgresTest, SubmitAnsweredBeforeACrashIsKeptAndItsRepetitionRecognised) {
    PostgresStore store(conninfo_, {});
    const store::Submission submission = batch(0, 5, "kept");
    const std::string job = store.submit(submission).job_id;

    support::PrivatePostgres::instance().crash_and_restart();
    const store::SubmitResult repeated = store.submit(submission);

    EXPECT_TRUE(repeated.replayed);
    EXPECT_EQ(repeated.job_id, job);
    EXPECT_EQ(repeated.n_created, 7);
}

TEST_F(PostgresTest, ARetriedJobOfThousandsOfSourcesRunsToItsEnd) {
    constexpr int kSources = 5000;  // three pieces
    store::StoreOptions options;
    options.max_pack = 1000;
    PostgresStore store(conninfo_, options);
    store.register_worker({"w", "test"});
    const std::string job = store.submit(batch(0, kSources, "many")).job_id;
    store.cancel_job(job);
    store.retry_job(job);
    int n_claims = 0;
    std::vector<ClaimedTask> pack;
    const auto claim = [&] {
        pack = store.claim({"w", pools(), std::to_string(++n_claims), "m", ""});
    };
    const auto complete = [&](std::size_t first, std::size_t count) {
        std::vector<Completion> results;
        for (const ClaimedTask& task : std::span(pack).subspan(first, count)) {
            results.push_back({task.held(), sha256_hex(task.content_key), "file", 1, false});
        }
        store.complete("w", results);
    };

    claim();
    complete(0, 1);
    for (int done = 0; done < kSources - 1000; done += 1000) {
        claim();
        complete(0, 1000);
    }
    claim();
    complete(0, 999);
    store::Connection(conninfo_).run("analyze");  // plans as in a database that has lived a while
    complete(999, 1);
    claim();

    ASSERT_EQ(pack.size(), 1U);
    EXPECT_EQ(pack[0].verb, "package");
    complete(0, 1);
    EXPECT_EQ(store.get_job(job).state, JobState::Done);
}

}  // namespace
}  // namespace kaname::conformance::postgres_faults_test
