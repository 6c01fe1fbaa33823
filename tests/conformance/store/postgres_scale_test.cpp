// SPDX-License-Identifier: BSD-3-Clause
// The store keeps its promises with many tasks, and on a database that is slow or gone.
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/scale_fixture.hpp"
#include "tests/support/postgres/stalling_proxy.hpp"

namespace kaname::conformance::postgres_scale_test {
namespace {

using store::Connection;
using store::Plans;
using store::PostgresStore;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Buffers that a statement touched, and its plan, as EXPLAIN tells.
struct Explained {
    std::string plan;
    std::int64_t buffers = 0;
};

Explained explain_prepared(Connection& db, const std::string& name, const std::string& values) {
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

Explained explain(Connection& db, const std::string& name, const char* sql,
                  const std::string& types, const std::string& values) {
    db.run_script("prepare " + name + " (" + types + ") as " + sql);
    return explain_prepared(db, name, values);
}

TEST_F(ScaleTest, AClaimReadsAFewPagesOfATableWithoutStatistics) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script("alter table task set (autovacuum_enabled = false)");
    db.run_script(
        "insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, "
        "ordinal) select 'key ' || n, 'solve', 'owner' || n % 50, 'm', 'solve', '', '', 0, n "
        "from generate_series(1, 30000) n");

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
    EXPECT_LT(claim.buffers, 300) << claim.plan;     // of 4 tasks; all of a line are 600
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

TEST_F(ScaleTest, AJobIsLookedAtInAFewPagesOfTablesWithoutStatistics) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script(
        "alter table job_item set (autovacuum_enabled = false);"
        "alter table task set (autovacuum_enabled = false)");
    const std::string job = store.submit(batch(0, 1, "large")).job_id;
    db.run(
        "insert into job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, "
        "payload, needs, gathers, source, level) select $1, n, 'key ' || n, 'solve', 'm', 'solve', "
        "'s' || n, '', '{}', '{}', true, 1 from generate_series(10, 20000) n",
        {job});
    db.run_script(
        "insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, "
        "ordinal) select 'key ' || n, 'solve', 'ann', 'm', 'solve', '', '', 0, n "
        "from generate_series(10, 20000) n");

    const auto parts = explain(db, "p", store::sql::list_parts, "text, text[]",
                               "'" + job + "', '{key 10,key 11,key 10000,key 19999}'");
    const auto look = explain(db, "l", store::sql::look_at_job, "text", "'" + job + "'");

    EXPECT_LT(parts.buffers, 100) << parts.plan;  // the tables have more than 400
    EXPECT_LT(look.buffers, 20) << look.plan;
    EXPECT_EQ(store.parts_of_job(job, std::vector<std::string>{"key 10", "key 19999"}).live.size(),
              2U);
}

TEST_F(ScaleTest, AJobIsLookedAtWhileAllOthersSubmit) {
    PostgresStore store(conninfo_, {});
    const std::string job = store.submit(batch(0, 2, "first")).job_id;
    std::counting_semaphore<> busy(0);
    std::latch over(1);
    std::vector<std::jthread> users;
    for (int k = 0; k < 8; ++k) {
        users.emplace_back([&, k] {
            store::Submission slow = batch(10 * (k + 1), 1, "slow" + std::to_string(k));
            slow.check_files = [&] {
                busy.release();
                over.wait();
            };
            (void)store.submit(slow);
        });
    }
    for (int k = 0; k < 3; ++k) {
        busy.acquire();
    }
    const auto start = Clock::now();

    EXPECT_EQ(store.get_job(job).n_live, 4);
    EXPECT_EQ(store.look_at_job(job).n_live, 4);
    EXPECT_EQ(store.parts_of_job(job, {}).others.size(), 2U);

    EXPECT_LT(since(start), 5);
    over.count_down();
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

TEST_F(ScaleTest, APieceOfALargeJobComparesNoItemWithEachOfThePiece) {
    PostgresStore store(conninfo_, {});
    Connection db(conninfo_, Plans::ByRule);
    db.run_script("alter table job_item set (autovacuum_enabled = false)");
    // Planned when the table is small, as the first piece does, and kept.
    const std::string nothing = "'', '{0}'";
    (void)explain(db, "c", store::sql::materialise_tasks, "text, bigint[], text[]",
                  nothing + ", '{ready}'");
    (void)explain(db, "s", store::sql::list_states_of_items, "text, bigint[]", nothing);
    (void)explain(db, "u", store::sql::reuse_some_artifacts, "text, bigint[]", nothing);
    (void)explain(db, "r", store::sql::revive_items, "text, bigint[]", nothing);
    const std::string job = store.submit(batch(0, 50, "one")).job_id;

    const std::string piece = "'" + job + "', '{0,1,2,3,4,5,6,7,8,9}'";
    const std::string states = ", array_fill('ready'::text, array[10])";

    for (const Explained& told :
         {explain_prepared(db, "c", piece + states), explain_prepared(db, "s", piece),
          explain_prepared(db, "u", piece), explain_prepared(db, "r", piece)}) {
        EXPECT_EQ(told.plan.find("Rows Removed by Join Filter"), std::string::npos) << told.plan;
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
