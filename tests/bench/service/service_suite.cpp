// SPDX-License-Identifier: BSD-3-Clause
// The queue against a real PostgreSQL: what claims, completions and bulk calls cost with many
// tasks.
#include <algorithm>
#include <thread>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "tests/bench/service/rows.hpp"
#include "tests/support/postgres/private_postgres.hpp"

namespace kaname::bench {
namespace {

using store::PostgresStore;

constexpr int kOwners = 50;
const std::vector<std::string> kPools = {"cpu", "solve"};

store::WantedItem source(const std::string& name, std::vector<std::string> needs = {}) {
    return {sha256_hex(name), "solve", "m", "solve", std::move(needs), name,
            sha256_hex(name), {},      true};
}

store::Submission submission(const std::string& owner, const std::string& name) {
    store::Submission made;
    made.principal = made.owner = owner;
    made.request_id = made.body_sha256 = sha256_hex(name);
    made.name = name;
    made.request = "{}";
    return made;
}

/// Sources that are ready at once, `n` of them, dealt out to jobs of these owners.
void fill(PostgresStore& queue, const std::string& tag, int n, int owners) {
    const int of_job = std::min(20000, n / owners);
    for (int first = 0, job = 0; first < n; first += of_job, ++job) {
        const std::string owner = "owner" + std::to_string(job % owners);
        const std::string name = tag + std::to_string(job);
        store::Submission batch = submission(owner, name);
        for (int k = 0; k < std::min(of_job, n - first); ++k) {
            batch.items.push_back(source(name + '/' + std::to_string(k)));
        }
        (void)queue.submit(batch);
    }
}

/// A mesh, `n` sources that need it and a package that gathers them.
store::Submission large_batch(const std::string& name, int n) {
    store::Submission batch = submission("owner0", name);
    const std::string mesh = sha256_hex(name + " mesh");
    store::WantedItem package{
        sha256_hex(name + " package"), "package", "", "cpu", {mesh}, "package"};
    for (int k = 0; k < n; ++k) {
        batch.items.push_back(source(name + '/' + std::to_string(k), {mesh}));
        package.gathers.push_back(batch.items.back().content_key);
    }
    batch.items.push_back({mesh, "mesh", "", "cpu", {}, "mesh"});
    batch.items.push_back(std::move(package));
    return batch;
}

/// As the service claims: for the owners that have something, in turn.
std::vector<store::ClaimedTask> claim_as_served(PostgresStore& queue, const std::string& worker,
                                                int turn) {
    const auto owners = queue.ready_owners(kPools);
    const std::string owner =
        owners.empty() ? "" : owners[static_cast<std::size_t>(turn) % owners.size()];
    return queue.claim({worker, kPools, store::make_uuid(), "m", owner});
}

void complete_all(PostgresStore& queue, const std::string& worker,
                  const std::vector<store::ClaimedTask>& pack) {
    std::vector<store::Completion> results;
    for (const store::ClaimedTask& task : pack) {
        results.push_back({task.held(), task.content_key, "", 1, false});
    }
    for (const store::LeaseResult result : queue.complete(worker, results)) {
        if (result != store::LeaseResult::Ok) {
            throw Error(ErrorCode::Internal, "a completion was refused");
        }
    }
}

/// Seconds in which `workers` threads claim and complete everything that is ready.
double drain(PostgresStore& queue, int workers) {
    const Clock::time_point start = Clock::now();
    std::vector<std::jthread> threads;
    for (int number = 0; number < workers; ++number) {
        threads.emplace_back([&queue, number] {
            const std::string worker = store::make_uuid();
            queue.register_worker({worker, "bench"});
            for (int turn = number;; ++turn) {
                const auto pack = claim_as_served(queue, worker, turn);
                if (pack.empty()) {
                    return;
                }
                complete_all(queue, worker, pack);
            }
        });
    }
    threads.clear();
    return seconds_since(start);
}

std::string fresh() {
    return support::PrivatePostgres::durable().new_database();
}

void throughput(const Bench& bench, int pack, int workers, int n) {
    store::StoreOptions options;
    options.max_pack = pack;
    PostgresStore queue(fresh(), options, workers + 2);
    fill(queue, "t", n, 1);
    const std::int64_t before = store::Connection::n_statements();
    const double seconds = drain(queue, workers);
    const std::int64_t statements = store::Connection::n_statements() - before;
    const std::string method =
        "pack-" + std::to_string(pack) + "-workers-" + std::to_string(workers);
    bench.add(method, "claim_complete_per_s", "1/s", n / seconds);
    bench.add(method, "statements_per_pack", "", double(statements) * pack / n);
}

void claims(const Bench& bench, int ready) {
    PostgresStore queue(fresh(), {});
    const Clock::time_point start = Clock::now();
    fill(queue, "c", ready, kOwners);
    bench.add("fill", "tasks_per_s", "1/s", ready / seconds_since(start));
    const std::string worker = store::make_uuid();
    queue.register_worker({worker, "bench"});
    std::vector<double> seconds;
    const Clock::time_point begun = Clock::now();
    for (int turn = 0; turn < 1000 && seconds_since(begun) < 30.0; ++turn) {
        const Clock::time_point asked = Clock::now();
        const auto pack = claim_as_served(queue, worker, turn);
        seconds.push_back(seconds_since(asked));
        complete_all(queue, worker, pack);
    }
    const std::string of = ready == 1000000 ? "_1m_ready" : "";
    bench.add("claim", "claim_p50_ms" + of, "ms", 1e3 * quantile(seconds, 0.5));
    bench.add("claim", "claim_p99_ms" + of, "ms", 1e3 * quantile(seconds, 0.99));
    seconds.clear();
    for (int turn = 0; turn < 100; ++turn) {
        const Clock::time_point asked = Clock::now();
        (void)queue.count_tasks();
        seconds.push_back(seconds_since(asked));
    }
    bench.add("count_tasks", "count_p99_ms", "ms", 1e3 * quantile(seconds, 0.99));
}

/// How long others wait for a job's row while a bulk call is under way: a session that wants it,
/// time after time.
class RowProbe {
public:
    RowProbe(const std::string& database, const std::string& job)
        : thread_([this, database, job](const std::stop_token& ended) {
              store::Connection db(database);
              while (!ended.stop_requested()) {
                  db.run("begin");
                  const Clock::time_point asked = Clock::now();
                  db.run("select 1 from job where job_id = $1 for update", {job});
                  longest_ = std::max(longest_, seconds_since(asked));
                  db.run("rollback");
                  std::this_thread::sleep_for(std::chrono::milliseconds(2));
              }
          }) {}
    /// Ends it.
    double longest_s() {
        thread_.request_stop();
        thread_.join();
        return longest_;
    }

private:
    double longest_ = 0;
    std::jthread thread_;
};

void bulk(const Bench& bench, int n) {
    const std::string database = fresh();
    PostgresStore queue(database, {});
    const store::Submission batch = large_batch("bulk", n);
    const std::string of = n == 100000 ? "_100k" : "";
    Clock::time_point start = Clock::now();
    double durable = 0;
    std::jthread looker([&] {
        while (queue.list_jobs({}, 1, "").rows.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        durable = seconds_since(start);
    });
    const std::string job = queue.submit(batch).job_id;
    const double whole = seconds_since(start);
    looker.join();
    bench.add("bulk", "submit" + of + "_sources_s", "s", durable);
    bench.add("bulk", "plant" + of + "_s", "s", whole);
    const auto timed = [&](const std::string& call, const auto& made) {
        RowProbe probe(database, job);
        start = Clock::now();
        made();
        bench.add("bulk", call + of + "_s", "s", seconds_since(start));
        bench.add("bulk", call + of + "_longest_lock_s", "s", probe.longest_s());
    };
    timed("cancel", [&] {
        if (queue.cancel_job(job).state != store::JobState::Cancelled) {
            throw Error(ErrorCode::Internal, "the job is not cancelled");
        }
    });
    timed("retry", [&] { (void)queue.retry_job(job); });
    const std::string worker = store::make_uuid();
    queue.register_worker({worker, "bench"});
    const auto mesh = queue.claim({worker, {"cpu"}, store::make_uuid(), "", ""});
    start = Clock::now();
    complete_all(queue, worker, mesh);
    bench.add("bulk", "release" + of + "_s", "s", seconds_since(start));
    (void)queue.submit(large_batch("flat", n));
    const auto flat = queue.claim({worker, {"cpu"}, store::make_uuid(), "", ""});
    start = Clock::now();
    (void)queue.fail(worker, {flat.at(0).held(), "mesh", "an element is flat"});
    bench.add("bulk", "fail" + of + "_s", "s", seconds_since(start));
}

/// A campaign all of whose members are jobs already: paused, resumed and looked at.
void campaigns(const Bench& bench, int members) {
    constexpr int kSources = 100;
    PostgresStore queue(fresh(), {});
    store::NewCampaign wanted;
    wanted.principal = wanted.owner = "ann";
    wanted.request_id = wanted.body_sha256 = "campaign";
    wanted.title = wanted.axes = wanted.cost = "campaign";
    for (int k = 0; k < members; ++k) {
        wanted.members.push_back({std::to_string(k), "{}", std::string(4000, 'x')});
    }
    Clock::time_point start = Clock::now();
    const std::string id = queue.create_campaign(wanted).campaign_id;
    bench.add("campaign-create", "seconds", "s", seconds_since(start));
    start = Clock::now();
    for (int k = 0; k < members; ++k) {
        store::Submission batch = submission("ann", "member" + std::to_string(k));
        for (int source_at = 0; source_at < kSources; ++source_at) {
            batch.items.push_back(source(batch.name + '/' + std::to_string(source_at)));
        }
        batch.campaign = id;
        batch.member = k;
        (void)queue.submit(batch);
    }
    bench.add("campaign-submit", "members_per_s", "1/s", members / seconds_since(start));
    start = Clock::now();
    queue.pause_campaign(id);
    bench.add("campaign-pause", "seconds", "s", seconds_since(start));
    if (queue.count_tasks().ready != 0) {
        throw Error(ErrorCode::Internal, "a paused campaign has ready tasks");
    }
    start = Clock::now();
    queue.resume_campaign(id);
    bench.add("campaign-resume", "seconds", "s", seconds_since(start));
    start = Clock::now();
    (void)queue.get_campaign(id);
    bench.add("campaign-get", "seconds", "s", seconds_since(start));
}

/// Measures the rate that remains beside a transaction that stays open, so that nothing is
/// vacuumed.
void under_snapshot(const Bench& bench, int n) {
    store::StoreOptions options;
    options.max_pack = 256;
    const auto rate = [&](bool held) {
        const std::string database = fresh();
        PostgresStore queue(database, options, 4);
        fill(queue, "s", n, 1);
        store::Connection holder(database);
        if (held) {
            holder.run_script("set idle_in_transaction_session_timeout = 0");
            holder.run_script("begin isolation level repeatable read; select count(*) from job");
        }
        return n / drain(queue, 2);
    };
    const double alone = rate(false);
    const double beside = rate(true);
    bench.add("alone", "claim_complete_per_s", "1/s", alone);
    bench.add("open-transaction", "claim_complete_per_s", "1/s", beside);
    bench.add("open-transaction", "throughput_kept_under_open_transaction", "", beside / alone);
}

void lists(const Bench& bench, int jobs) {
    const std::string database = fresh();
    PostgresStore queue(database, {});
    store::Submission batch = submission("rare", "rare");
    batch.items.push_back(source(batch.name));
    (void)queue.submit(batch);
    store::Connection(database).run_script(
        "insert into job (job_id, owner, name, spec, priority, state, n_total, n_done, n_live, "
        "n_sources, ended_at) select 'job ' || n, 'often', 'batch', '{}', 0, 'done', 1, 1, 0, 1, "
        "now() from generate_series(1, " +
        std::to_string(jobs) + ") n");
    const auto p99 = [&](const std::string& method, const std::string& metric, const auto& call) {
        std::vector<double> seconds;
        for (int turn = 0; turn < 200; ++turn) {
            const Clock::time_point asked = Clock::now();
            call();
            seconds.push_back(seconds_since(asked));
        }
        bench.add(method, metric, "ms", 1e3 * quantile(seconds, 0.99));
    };
    const std::string job = queue.list_jobs({"rare", "", {}}, 1, "").rows.at(0).job_id;
    p99("jobs", "get_p99_ms", [&] { (void)queue.get_job(job); });
    p99("jobs", "list_p99_ms", [&] { (void)queue.list_jobs({}, 50, ""); });
    p99("jobs-of-a-rare-owner", "list_p99_ms", [&] {
        (void)queue.list_jobs({"rare", "", {}}, 50, "");
    });
}

void packs(const Bench& bench, int scale) {
    throughput(bench, 256, 1, 2000 * std::min(scale, 20));
    throughput(bench, 256, 4, 2000 * std::min(scale, 20));
    throughput(bench, 4, 1, 2000);
    throughput(bench, 4, 8, 4000);
}

}  // namespace

void run_service(const Options& options, Report& report) {
    const std::string& absent = support::PrivatePostgres::durable().absent();
    if (!absent.empty()) {
        throw Error(ErrorCode::Unavailable, absent);
    }
    const int scale = options.size == Size::Small ? 1 : options.size == Size::Medium ? 10 : 100;
    const Bench bench{options, report, "queue-" + std::to_string(10000 * scale)};
    const std::string& part = options.part;
    if (part.empty() || part == "api" || part == "agents") {
        run_api(bench, scale);
    }
    const bool queue = part.empty() || part == "queue";
    if (queue || part == "packs") {
        packs(bench, scale);
    }
    if (queue || part == "bulk") {
        bulk(bench, 10000 * std::min(scale, 10));
    }
    if (queue) {
        claims(bench, 10000 * scale);
    }
    if (queue || part == "open") {
        under_snapshot(bench, 10000 * std::min(scale, 20));
    }
    if (queue) {
        lists(bench, 10000 * scale);
        campaigns(bench, std::min(1000, 100 * scale));
    }
    if (part.empty() || part == "datasets") {
        run_dataset_lists(bench, 10000 * std::min(scale, 10));
    }
}

}  // namespace kaname::bench
