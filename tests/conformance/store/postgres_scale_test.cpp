// SPDX-License-Identifier: BSD-3-Clause
// The store keeps its promises with many tasks, and on a database that is slow or gone.
#include <chrono>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"
#include "tests/support/postgres/stalling_proxy.hpp"

namespace kaname::conformance::postgres_scale_test {
namespace {

using store::Connection;
using store::Job;
using store::JobState;
using store::LeaseResult;
using store::Plans;
using store::PostgresStore;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class ScaleTest : public PostgresTest {
protected:
    /// Claims and completes one pack; its labels.
    static std::vector<std::string> do_pack(PostgresStore& store, const std::string& worker) {
        std::vector<store::Completion> results;
        std::vector<std::string> labels;
        for (const store::ClaimedTask& task :
             store.claim({worker, pools(), store::make_uuid(), "", ""})) {
            results.push_back({task.held(), sha256_hex(task.label), "", 1, false});
            labels.push_back(task.label);
        }
        for (const LeaseResult result : store.complete(worker, results)) {
            EXPECT_EQ(result, LeaseResult::Ok);
        }
        return labels;
    }
};

/// Buffers that a statement touched, and its plan, as EXPLAIN tells.
struct Explained {
    std::string plan;
    std::int64_t buffers = 0;
};

Explained explain(Connection& db, const std::string& name, const char* sql,
                  const std::string& types, const std::string& values) {
    db.run_script("prepare " + name + " (" + types + ") as " + sql);
    Explained told;
    const std::string text = "explain (analyze, buffers) execute " + name + " (" + values + ")";
    for (const std::string& line : db.run(text.c_str()).texts(0)) {
        told.plan += line + '\n';
        const std::size_t at = line.find("shared hit=");
        if (told.buffers == 0 && at != std::string::npos) {  // the first is the sum of all
            told.buffers = std::stoll(line.substr(at + 11));
        }
    }
    return told;
}

TEST_F(ScaleTest, AClaimReadsAFewPagesOfATableWithoutStatistics) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script("alter table task set (autovacuum_enabled = false)");
    db.run_script(
        "insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, "
        "ordinal) select 'key ' || n, 'solve', 'owner' || n % 50, 'm', 'solve', '', '', 0, n "
        "from generate_series(1, 100000) n");

    const auto owners = explain(db, "o", store::sql::list_ready_owners,
                                "text[], text[], text[], integer[], timestamptz[], bigint[], "
                                "bigint[]",
                                "'{cpu,solve}', '{}', '{}', '{}', '{}', '{}', '{}'");
    db.run_script("begin");
    const auto claim =
        explain(db, "c", store::sql::claim_tasks,
                "text, text[], text, text, bigint, integer, float8, text, integer[], "
                "timestamptz[], bigint[], bigint[], text, float8",
                "'w', '{cpu,solve}', 'm', 'owner7', 4, 2, 120, 'claim', "
                "'{-1000000,-1000000}', '{-infinity,-infinity}', '{0,0}', '{0,0}', 'token', 60");
    db.run_script("rollback");

    // Lines whose beginning is known are looked at from there, by the index that has the places.
    const auto known = explain(db, "k", store::sql::list_ready_owners,
                               "text[], text[], text[], integer[], timestamptz[], bigint[], "
                               "bigint[]",
                               "'{solve}', '{solve}', '{owner7}', '{0}', '{2026-01-01}', '{0}', "
                               "'{0}'");
    EXPECT_EQ(owners.plan.find("Seq Scan on task"), std::string::npos) << owners.plan;
    EXPECT_EQ(claim.plan.find("Seq Scan on task"), std::string::npos) << claim.plan;
    EXPECT_EQ(known.plan.find("Seq Scan on task"), std::string::npos) << known.plan;
    EXPECT_LT(known.buffers, 1000) << known.plan;
    EXPECT_LT(owners.buffers, 1000) << owners.plan;  // 50 owners, two looks each
    EXPECT_LT(claim.buffers, 300) << claim.plan;     // of 4 tasks; the table has more than 1,000
    EXPECT_EQ(store.ready_owners(pools()).size(), 50U);
}

TEST_F(ScaleTest, AJobIsFoundByTheBeginningOfItsIdAmongMany) {
    PostgresStore store(conninfo_, {});
    const std::string old = store.submit(batch(0, 1, "old")).job_id;
    Connection db(conninfo_, Plans::ByCost);
    db.run_script(
        "insert into job (job_id, owner, name, spec, estimate, priority, state, n_total, n_live, "
        "n_sources, ended_at) select gen_random_uuid(), 'ann', 'newer', '{}', '{}', 0, 'failed', "
        "0, 0, 0, now() from generate_series(1, 20000); analyze job");

    const auto found = store.list_jobs({"", "", {}, old.substr(0, 8)}, 1000, "");
    const auto told =
        explain(db, "i", store::sql::list_jobs_by_id, "bigint, text, text, text, integer, text",
                "1000000, '', '', '', 1001, '" + old.substr(0, 8) + "'");

    ASSERT_EQ(found.rows.size(), 1U);
    EXPECT_EQ(found.rows[0].job_id, old);
    EXPECT_LT(told.buffers, 50) << told.plan;  // the table has more than 300
}

TEST_F(ScaleTest, ACancelJoinsNothingRowByRowWhereOneTaskGathersAll) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script(
        "insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, "
        "ordinal) select 'key ' || n, 'solve', 'ann', 'm', 'solve', '', '', 0, n "
        "from generate_series(1, 20000) n");
    db.run_script(
        "insert into task_need (needs, content_key, gathered) select 'key ' || n, 'package', true "
        "from generate_series(1, 20000) n");
    db.run_script("analyze task; analyze task_need; analyze job_item");

    std::string keys = "'{package";
    for (int n = 1; n < 200; ++n) {
        keys += ",key " + std::to_string(n);
    }
    const auto gone = explain(db, "d", store::sql::delete_unwanted_tasks, "text[]", keys + "}'");

    EXPECT_EQ(gone.plan.find("Rows Removed by Join Filter"), std::string::npos) << gone.plan;
}

TEST_F(ScaleTest, CountsAreThoseOfTheTableWhateverHappens) {
    PostgresStore store(conninfo_, {});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    const auto expect_right = [&] {
        Connection db(conninfo_);
        const auto rows = db.run(
            "select count(*) filter (where state = 'blocked'), "
            "count(*) filter (where state = 'ready'), count(*) filter (where state = 'running') "
            "from task");
        const store::TaskCounts counts = store.count_tasks();
        EXPECT_EQ(counts.blocked, rows.number(0, 0));
        EXPECT_EQ(counts.ready, rows.number(0, 1));
        EXPECT_EQ(counts.running, rows.number(0, 2));
    };

    const std::string job = store.submit(batch(0, 9, "one")).job_id;
    EXPECT_EQ(store.count_tasks().blocked, 10);
    do_pack(store, worker);
    EXPECT_EQ(store.count_tasks().ready, 9);
    (void)store.claim({worker, pools(), store::make_uuid(), "", ""});
    EXPECT_EQ(store.count_tasks().running, 4);
    expect_right();
    store.reap();  // which puts the changes together
    expect_right();
    store.cancel_job(job);
    expect_right();
    EXPECT_EQ(store.count_tasks().blocked + store.count_tasks().running, 0);
}

TEST_F(ScaleTest, APackIsTenStatements) {
    PostgresStore store(conninfo_, {});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    store.submit(batch(0, 12, "one"));
    do_pack(store, worker);  // the mesh
    const auto pack = store.claim({worker, pools(), store::make_uuid(), "", "ann"});
    std::vector<store::Completion> results;
    for (const store::ClaimedTask& task : pack) {
        results.push_back({task.held(), "x", "", 1, false});
    }
    store.complete(worker, results);

    const std::int64_t before = Connection::n_statements();
    const auto next = store.claim({worker, pools(), store::make_uuid(), "", "ann"});
    results.clear();
    for (const store::ClaimedTask& task : next) {
        results.push_back({task.held(), "x", "", 1, false});
    }
    store.complete(worker, results);

    EXPECT_EQ(next.size(), 4U);
    EXPECT_LE(Connection::n_statements() - before, 10);
}

TEST_F(ScaleTest, AReleaseThatACrashCutOffGoesOn) {
    PostgresStore store(conninfo_, {});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    store.submit(batch(0, 5, "one"));
    ASSERT_EQ(do_pack(store, worker), std::vector<std::string>{"mesh"});
    EXPECT_EQ(store.count_tasks().ready, 5);
    // As a server leaves it that ended between the mesh and the release of what waited for it.
    Connection db(conninfo_);
    db.run_script(
        "update task set state = 'blocked' where verb = 'solve'; "
        "insert into task_need (needs, content_key) select '" +
        sha256_hex("mesh") + "', content_key from task where verb = 'solve'; " +
        "insert into release_pending values ('" + sha256_hex("mesh") + "')");

    store.reap();

    EXPECT_EQ(store.count_tasks().ready, 5);
    EXPECT_TRUE(db.run("select 1 from release_pending").empty());
}

TEST_F(ScaleTest, ACancelThatACrashCutOffGoesOnAndEndsAsACancel) {
    PostgresStore store(conninfo_, {});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    const std::string job = store.submit(batch(0, 5, "one")).job_id;
    // As after its first piece: the package is gone, the rest is not.
    Connection db(conninfo_);
    db.run_script(
        "delete from task where verb = 'package'; delete from task_need n "
        "where not exists (select 1 from task t where t.content_key = n.content_key); "
        "update job_item set state = 'cancelled' where verb = 'package'; "
        "update job set n_live = n_live - 1, n_cancelled = 1");

    const Job cancelled = store.cancel_job(job);

    EXPECT_EQ(cancelled.state, JobState::Cancelled);
    EXPECT_EQ(cancelled.n_cancelled, 7);
    EXPECT_TRUE(store.claim({worker, pools(), store::make_uuid(), "", ""}).empty());
    EXPECT_EQ(store.count_tasks().blocked + store.count_tasks().ready, 0);
}

/// Makes every statement fail from now on that writes a row with this label.
void cut_off_at(Connection& db, const std::string& table, const std::string& label) {
    db.run_script(
        "create function cut_off() returns trigger language plpgsql as $$ begin "
        "if new.label = '" +
        label + "' then raise exception 'cut off'; end if; return new; end $$; " +
        "create trigger cut_off before insert or update on " + table +
        " for each row execute function cut_off()");
}

TEST_F(ScaleTest, ALargeSubmitThatACrashCutOffIsThereAndBecomesWhole) {
    PostgresStore store(conninfo_, {.bulk_piece = 2});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    Connection db(conninfo_);
    cut_off_at(db, "task", "5");
    EXPECT_THROW(store.submit(batch(0, 9, "one")), Error);
    db.run_script("drop function cut_off cascade");

    // The mesh and four sources; what gathers must not begin with these.
    std::size_t n_done = 0;
    for (int pack = 0; pack < 10; ++pack) {
        n_done += do_pack(store, worker).size();
    }
    EXPECT_EQ(n_done, 5U);
    const auto again = store.submit(batch(0, 9, "one"));
    EXPECT_TRUE(again.replayed);
    store.reap();
    EXPECT_EQ(store.count_tasks().ready, 0) << "whoever plants it may still be there";
    store.set_clock_offset(31);
    store.register_worker({worker, "w"});
    store.reap();

    EXPECT_EQ(store.count_tasks().ready, 5);
    for (int pack = 0; pack < 10; ++pack) {
        do_pack(store, worker);
    }
    const Job job = store.get_job(again.job_id);
    EXPECT_EQ(job.state, JobState::Done);
    EXPECT_EQ(job.n_sources_done, 9);
    EXPECT_TRUE(db.run("select from job_planting union all select from task_need").empty());
}

/// A cancelled job of 9 sources whose retry was cut off at the sixth of them.
class RetryTest : public ScaleTest {
protected:
    void SetUp() override {
        ScaleTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        store_ = std::make_unique<PostgresStore>(conninfo_, store::StoreOptions{.bulk_piece = 2});
        store_->register_worker({worker_, "w"});
    }
    void cancel_and_cut_off_retry(const store::Submission& submission, const std::string& label) {
        job_ = store_->submit(submission).job_id;
        store_->cancel_job(job_);
        cut_off_retry(label);
    }
    void cut_off_retry(const std::string& label) {
        Connection db(conninfo_);
        cut_off_at(db, "job_item", label);
        EXPECT_THROW(store_->retry_job(job_), Error);
        db.run_script("drop function cut_off cascade");
        EXPECT_EQ(store_->get_job(job_).state, JobState::Active);
    }
    /// As many as are ready, and then some.
    std::size_t do_packs() {
        std::size_t n_done = 0;
        for (int pack = 0; pack < 10; ++pack) {
            n_done += do_pack(*store_, worker_).size();
        }
        return n_done;
    }
    void reap_after_a_lease() {
        store_->set_clock_offset(31);
        store_->register_worker({worker_, "w"});
        store_->reap();
    }
    void expect_counts_of_its_items() {
        const Job job = store_->get_job(job_);
        std::int64_t n_live = 0, n_cancelled = 0;
        for (const store::JobItem& item : store_->list_items(job_, 100, "").rows) {
            n_live += item.state == store::ItemState::Live ? 1 : 0;
            n_cancelled += item.state == store::ItemState::Cancelled ? 1 : 0;
        }
        EXPECT_EQ(job.n_live, n_live);
        EXPECT_EQ(job.n_cancelled, n_cancelled);
        EXPECT_EQ(static_cast<std::int64_t>(store_->list_events(job_, 0, 1000).size()),
                  job.event_seq);
    }

    std::unique_ptr<PostgresStore> store_;
    const std::string worker_ = store::make_uuid();
    std::string job_;
};

TEST_F(RetryTest, NoTransactionRevivesMoreThanAPiece) {
    job_ = store_->submit(batch(0, 9, "one")).job_id;
    store_->cancel_job(job_);

    const Job again = store_->retry_job(job_);

    EXPECT_EQ(again.n_live, 11);
    EXPECT_EQ(again.n_cancelled, 0);
    EXPECT_EQ(store_->count_tasks().blocked, 10);
    Connection db(conninfo_);
    EXPECT_LE(
        db.run("select max(n) from (select count(*) as n from job_item group by xmin::text) x")
            .number(0, 0),
        2);
    EXPECT_TRUE(db.run("select from job_planting").empty());
    expect_counts_of_its_items();
}

TEST_F(RetryTest, CutOffByACrashItGoesOnAndTheJobBecomesWhole) {
    cancel_and_cut_off_retry(batch(0, 9, "one"), "5");
    expect_counts_of_its_items();
    EXPECT_EQ(store_->retry_job(job_).state, JobState::Active);

    // The mesh and four sources; what gathers must not begin with these.
    EXPECT_EQ(do_packs(), 5U);
    store_->reap();
    EXPECT_EQ(store_->count_tasks().ready, 0) << "whoever retries it may still be there";
    reap_after_a_lease();

    EXPECT_EQ(store_->count_tasks().ready, 5);
    EXPECT_EQ(do_packs(), 6U);
    const Job job = store_->get_job(job_);
    EXPECT_EQ(job.state, JobState::Done);
    EXPECT_EQ(job.n_sources_done, 9);
    expect_counts_of_its_items();
}

TEST_F(RetryTest, AJobDoesNotEndWhileItIsRevived) {
    store::Submission flat = batch(0, 5, "flat");
    flat.items.resize(5);
    for (store::ItemSpec& item : flat.items) {
        item.needs.clear();
    }
    cancel_and_cut_off_retry(flat, "3");

    EXPECT_EQ(do_packs(), 2U);
    EXPECT_EQ(store_->get_job(job_).n_live, 0);
    EXPECT_EQ(store_->get_job(job_).state, JobState::Active);
    reap_after_a_lease();
    EXPECT_EQ(do_packs(), 3U);

    EXPECT_EQ(store_->get_job(job_).state, JobState::Done);
    expect_counts_of_its_items();
}

TEST_F(RetryTest, ACancelStopsItWhereItIs) {
    cancel_and_cut_off_retry(batch(0, 9, "one"), "5");

    const Job cancelled = store_->cancel_job(job_);

    EXPECT_EQ(cancelled.state, JobState::Cancelled);
    EXPECT_EQ(cancelled.n_cancelled, 11);
    reap_after_a_lease();
    EXPECT_EQ(do_packs(), 0U);
    EXPECT_EQ(store_->get_job(job_).n_cancelled, 11);
    Connection db(conninfo_);
    EXPECT_TRUE(db.run("select from job_planting union all select from task_need").empty());
    expect_counts_of_its_items();
}

TEST_F(RetryTest, ACancelThatIsStoppedStartsNothingAndGoesOnLater) {
    job_ = store_->submit(batch(0, 9, "one")).job_id;
    int n_asked = 0;
    const store::Actor ann{"ann", "user"};

    const Job begun = store_->cancel_job(job_, ann, [&] { return ++n_asked == 2; });

    EXPECT_EQ(begun.state, JobState::Active);
    EXPECT_TRUE(begun.cancelling);
    EXPECT_EQ(begun.n_cancelled, 4) << "two pieces";
    expect_counts_of_its_items();
    EXPECT_EQ(store_->count_tasks().ready, 1);
    EXPECT_EQ(do_packs(), 0U) << "no task of its owner starts";
    EXPECT_TRUE(store_->ready_owners(pools()).empty());
    const Job more = store_->cancel_job(job_, ann, [&] { return true; });
    EXPECT_EQ(more.n_cancelled, 6);
    store_->reap();
    EXPECT_TRUE(store_->get_job(job_).cancelling) << "whoever cancels it may still be there";
    reap_after_a_lease();

    const Job ended = store_->get_job(job_);
    EXPECT_EQ(ended.state, JobState::Cancelled);
    EXPECT_FALSE(ended.cancelling);
    EXPECT_EQ(store_->count_tasks().ready, 0);
    EXPECT_EQ(store_->list_audit(10, "", {.method = "CancelJob"}).rows.size(), 1U);
    expect_counts_of_its_items();
}

TEST_F(RetryTest, ASubmitThatIsStoppedIsWholeToOthersAndEachRunGoesOnWhereTheLastOneEnded) {
    store::Submission many = batch(0, 9, "one");
    many.stop = [] { return true; };

    const store::SubmitResult begun = store_->submit(many);

    job_ = begun.job_id;
    EXPECT_TRUE(begun.planting);
    EXPECT_EQ(begun.n_created, 11);
    EXPECT_EQ(store_->get_job(job_).n_live, 11);
    const store::SubmitResult again = store_->submit(many);
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.n_created, 11);
    EXPECT_TRUE(store_->finish_bulk(job_, many.stop)) << "a server that ends makes no more of them";
    EXPECT_EQ(store_->count_tasks().ready, 0);
    int n_runs = 1;
    while (store_->finish_bulk(job_, [n = 0]() mutable { return n++ > 0; })) {
        ASSERT_LT(++n_runs, 20) << "a run does what one did before";
    }
    EXPECT_EQ(do_packs(), 11U);
    EXPECT_EQ(store_->get_job(job_).state, JobState::Done);
    expect_counts_of_its_items();
}

TEST_F(RetryTest, ACancelOfASubmitThatIsStoppedLeavesNothingToOthers) {
    store::Submission many = batch(0, 9, "one");
    many.stop = [] { return true; };
    job_ = store_->submit(many).job_id;
    store::Submission same = many;
    same.request_id = "two";
    same.stop = {};
    const std::string other = store_->submit(same).job_id;

    EXPECT_TRUE(store_->cancel_job(job_, {}, many.stop).cancelling);
    EXPECT_FALSE(store_->finish_bulk(job_));

    EXPECT_EQ(store_->get_job(job_).state, JobState::Cancelled);
    EXPECT_EQ(do_packs(), 11U);
    EXPECT_EQ(store_->get_job(other).state, JobState::Done);
    Connection db(conninfo_);
    EXPECT_TRUE(db.run("select from job_planting union all select from task_need").empty());
}

TEST_F(RetryTest, ARetryThatIsStoppedGoesOnLater) {
    job_ = store_->submit(batch(0, 9, "one")).job_id;
    store_->cancel_job(job_);

    const Job begun = store_->retry_job(job_, {}, [] { return true; });

    EXPECT_EQ(begun.state, JobState::Active);
    EXPECT_LT(begun.n_live, 11);
    EXPECT_TRUE(store_->finish_bulk(job_, [] { return true; }));
    EXPECT_FALSE(store_->finish_bulk(job_));
    EXPECT_FALSE(store_->finish_bulk(job_)) << "nothing is left";
    EXPECT_EQ(store_->get_job(job_).n_live, 11);
    EXPECT_EQ(do_packs(), 11U);
    EXPECT_EQ(store_->get_job(job_).state, JobState::Done);
    expect_counts_of_its_items();
}

TEST_F(RetryTest, ACancelBeforeItsFirstPieceLeavesTheJobAsItWas) {
    job_ = store_->submit(batch(0, 9, "one")).job_id;
    const auto mesh = store_->claim({worker_, pools(), store::make_uuid(), "", ""});
    store_->fail(worker_, {mesh.at(0).held(), "mesh", "flat"});
    cut_off_retry("package");

    const Job cancelled = store_->cancel_job(job_);

    EXPECT_EQ(cancelled.state, JobState::Failed);
    EXPECT_EQ(cancelled.n_failed, 11);
    expect_counts_of_its_items();
    EXPECT_EQ(store_->retry_job(job_).n_live, 11) << "it can be tried again at once";
}

TEST_F(RetryTest, ACancelledJobLetsGoOfWhatOthersGather) {
    // Another job wants the same package of one source less.
    const std::string other = store_->submit(batch(0, 9, "one")).job_id;
    store::Submission same = batch(0, 9, "two");
    same.items.back().content_key = sha256_hex("package one");
    cancel_and_cut_off_retry(same, "5");
    store_->cancel_job(job_);

    EXPECT_EQ(do_packs(), 10U);  // the package waits for the planting that a crash cut off
    reap_after_a_lease();
    EXPECT_EQ(do_packs(), 1U);

    EXPECT_EQ(store_->get_job(other).state, JobState::Done);
}

TEST_F(ScaleTest, AFailureThatManyNeedGoesOnAfterACrash) {
    PostgresStore store(conninfo_, {.bulk_piece = 2});
    const std::string worker = store::make_uuid();
    store.register_worker({worker, "w"});
    const std::string job = store.submit(batch(0, 9, "one")).job_id;
    const auto mesh = store.claim({worker, pools(), store::make_uuid(), "", ""});
    Connection db(conninfo_);
    cut_off_at(db, "job_item", "7");
    EXPECT_THROW(store.fail(worker, {mesh.at(0).held(), "mesh", "flat"}), Error);
    db.run_script("drop function cut_off cascade");
    EXPECT_EQ(store.get_job(job).state, JobState::Active);
    EXPECT_TRUE(store.claim({worker, pools(), store::make_uuid(), "", ""}).empty());

    store.reap();

    const Job failed = store.get_job(job);
    EXPECT_EQ(failed.state, JobState::Failed);
    EXPECT_EQ(failed.n_failed, 11);
    EXPECT_EQ(store.count_tasks().blocked + store.count_tasks().ready, 0);
    EXPECT_EQ(static_cast<std::int64_t>(store.list_events(job, 0, 100).size()), failed.event_seq);
    EXPECT_EQ(store.list_items(job, 1, "").rows.at(0).error,
              "a stage that it needs failed: mesh: flat");
    EXPECT_TRUE(db.run("select from failure_pending union all select from task_need").empty());
}

TEST_F(ScaleTest, ADeletedJobLeavesNoRows) {
    PostgresStore store(conninfo_, {});
    const std::string job = store.submit(batch(0, 3, "one")).job_id;
    const std::string other = store.submit(batch(3, 3, "two")).job_id;
    store.cancel_job(job);
    store.delete_job(job, "");

    Connection db(conninfo_);
    const auto rows = db.run(
        "select (select count(distinct job_id) from job_item), "
        "(select count(distinct job_id) from job_event)");
    EXPECT_EQ(rows.number(0, 0), 1);
    EXPECT_EQ(rows.number(0, 1), 1);
    EXPECT_EQ(store.list_items(other, 100, "").rows.size(), 5U);
}

TEST_F(ScaleTest, ACompletionReadsAFewPagesOfATableWithoutStatistics) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script(
        "alter table task set (autovacuum_enabled = false); "
        "alter table task_need set (autovacuum_enabled = false); "
        "alter table job_item set (autovacuum_enabled = false)");
    store.submit(batch(0, 6000, "one"));
    std::string keys = "'{" + sha256_hex("source 0");
    for (const char* name : {"source 1", "source 2", "source 3"}) {
        keys += "," + sha256_hex(name);
    }
    keys += "}'";
    db.run_script("begin");
    const auto ended =
        explain(db, "e", store::sql::end_items,
                "text[], text[], bigint[], text, text, text[], boolean, bigint, text",
                keys + ", '{a,b,c,d}', '{1,1,1,1}', 'done', '', '{}', false, 0, 'item_done'");
    const auto locked = explain(db, "l", store::sql::lock_jobs_and_waiting,
                                "text[], text[], bigint", keys + ", " + keys + ", 4000");
    const auto hopeless = explain(db, "h", store::sql::lock_some_hopeless, "text, bigint, bigint",
                                  "'" + sha256_hex("mesh") + "', 4, 1000000000");
    db.run_script("rollback");
    for (const Explained* told : {&ended, &locked, &hopeless}) {
        EXPECT_LT(told->buffers, 300) << told->plan;
        // Neither of these is of a few rows: all live ones, looked at for each key.
        EXPECT_EQ(told->plan.find("Bitmap"), std::string::npos) << told->plan;
        EXPECT_EQ(told->plan.find("Materialize"), std::string::npos) << told->plan;
    }
}

TEST_F(ScaleTest, TheRequestOfADeletedJobStaysKnown) {
    PostgresStore store(conninfo_, {});
    const auto first = store.submit(batch(0, 2, "one"));
    store.cancel_job(first.job_id);
    store.delete_job(first.job_id, "");

    store.set_clock_offset(29.0 * 86400);
    store.reap();
    const auto again = store.submit(batch(0, 2, "one"));
    store.set_clock_offset(31.0 * 86400);
    store.reap();
    const auto later = store.submit(batch(0, 2, "one"));

    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.job_id, first.job_id);
    EXPECT_FALSE(later.replayed);
}

TEST_F(ScaleTest, AStatementThatTakesTooLongIsNotALostConnection) {
    store::Pool pool(conninfo_, 1);
    int n_runs = 0;
    const auto start = Clock::now();
    try {
        pool.transact([&](Connection& db) {
            ++n_runs;
            db.run_script("set local statement_timeout = '100ms'");
            db.run("select pg_sleep(5)");
        });
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_NE(std::string(error.what()).find("statement_timeout"), std::string::npos);
    }
    EXPECT_EQ(n_runs, 1);
    EXPECT_LT(since(start), 3);
}

TEST_F(ScaleTest, ADatabaseThatFallsSilentFailsCallsWithinTenSecondsAndComesBack) {
    const std::size_t end = conninfo_.find(' ');
    support::StallingProxy proxy(conninfo_.substr(5, end - 5));  // host=FOLDER ...
    PostgresStore store("host=" + proxy.folder() + conninfo_.substr(end), {});
    const std::string job = store.submit(batch(0, 2, "one")).job_id;

    proxy.stall(true);
    const auto start = Clock::now();
    try {
        (void)store.get_job(job);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    }
    EXPECT_LT(since(start), 10);
    proxy.stall(false);

    EXPECT_EQ(store.get_job(job).n_live, 4);
}

}  // namespace
}  // namespace kaname::conformance::postgres_scale_test
