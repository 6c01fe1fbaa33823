// SPDX-License-Identifier: BSD-3-Clause
// Calls that the store does in pieces (submit, cancel, retry, release): cut off by a crash or
// stopped by a request, they are whole to others and go on where they ended.
#include <memory>

#include <gtest/gtest.h>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/scale_fixture.hpp"

namespace kaname::conformance::postgres_pieces_test {
namespace {

using store::Connection;
using store::Job;
using store::JobState;
using store::PostgresStore;

class PiecesTest : public ScaleTest {};

TEST_F(PiecesTest, AReleaseThatACrashCutOffGoesOn) {
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

TEST_F(PiecesTest, ACancelThatACrashCutOffGoesOnAndEndsAsACancel) {
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

TEST_F(PiecesTest, ALargeSubmitThatACrashCutOffIsThereAndBecomesWhole) {
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
    EXPECT_EQ(store.count_tasks().ready, 0) << "whoever creates them may still be there";
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
    for (store::WantedItem& item : flat.items) {
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
    EXPECT_TRUE(begun.materialising);
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

    EXPECT_EQ(do_packs(), 10U);  // the package waits for the materialisation that a crash cut off
    reap_after_a_lease();
    EXPECT_EQ(do_packs(), 1U);

    EXPECT_EQ(store_->get_job(other).state, JobState::Done);
}

TEST_F(PiecesTest, AFailureThatManyNeedGoesOnAfterACrash) {
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

}  // namespace
}  // namespace kaname::conformance::postgres_pieces_test
