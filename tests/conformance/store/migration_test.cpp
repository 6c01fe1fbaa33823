// SPDX-License-Identifier: BSD-3-Clause
// A database of an earlier version, with jobs of every state, goes on under this one.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/postgres_fixture.hpp"

namespace kaname::conformance::migration_test {
namespace {

using store::ClaimedTask;
using store::Completion;
using store::Held;
using store::ItemState;
using store::JobState;
using store::LeaseResult;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";
const std::string kGpuOf018 = "GPU-aaaaaaaa-0000-0000-0000-000000000000";

class FromMigration : public PostgresTest {
protected:
    /// The data of this file, in a database with the migrations before `next`, goes on.
    void begin(const std::string& next, const std::string& data) {
        take_empty_database();
        store::Pool pool(conninfo_, 1);
        std::vector<store::Migration> before = store::built_in_migrations();
        std::erase_if(before, [&](const auto& migration) { return migration.name > next; });
        (void)store::migrate(pool, false, before);
        std::ifstream file(std::string(KANAME_STORE_DATA "/") + data);
        std::stringstream jobs;
        jobs << file.rdbuf();
        ASSERT_FALSE(jobs.str().empty());
        pool.transact([&](store::Connection& db) { db.run_script(jobs.str()); });
        store_ = std::make_unique<store::PostgresStore>(conninfo_, store::StoreOptions{});
    }
    store::Job job(const std::string& name) {
        const auto rows = store_->list_jobs({"", name, {}}, 10, "").rows;
        EXPECT_EQ(rows.size(), 1U) << name;
        return rows.at(0);
    }
    std::vector<store::JobItem> items(const std::string& name) {
        return store_->list_items(job(name).job_id, 10, "").rows;
    }
    ClaimedTask claim(const std::string& label) {
        const auto tasks = store_->claim({kWorker, pools(), store::make_uuid(), "", ""});
        EXPECT_EQ(tasks.size(), 1U) << label;
        EXPECT_EQ(tasks.empty() ? "" : tasks[0].label, label);
        return tasks.empty() ? ClaimedTask{} : tasks[0];
    }
    LeaseResult complete(Held task, bool partial = false) {
        const Completion done{task, sha256_hex("file"), "", 1, partial};
        return store_->complete(kWorker, {&done, 1}).front();
    }

    std::unique_ptr<store::PostgresStore> store_;
};

class FromMigration009 : public FromMigration {
protected:
    void SetUp() override {
        FromMigration::SetUp();
        if (!IsSkipped()) {
            begin("010", "jobs_at_009.sql");
        }
    }
};

class FromMigration018 : public FromMigration {
protected:
    void SetUp() override {
        FromMigration::SetUp();
        if (!IsSkipped()) {
            begin("019", "jobs_at_018.sql");
        }
    }
};

TEST_F(FromMigration009, ItemsSayWhatTheyWere) {
    for (const char* name : {"finished", "failed", "meshless", "cancelled", "running", "new"}) {
        const auto rows = items(name);
        ASSERT_EQ(rows.size(), 4U) << name;
        EXPECT_EQ(rows[0].verb, "solve");
        EXPECT_EQ(rows[2].verb, "mesh");
        EXPECT_EQ(rows[3].verb, "package");
        for (const store::JobItem& item : rows) {
            EXPECT_EQ(item.source, item.verb == "solve");
        }
    }
    EXPECT_EQ(job("finished").state, JobState::Done);
    EXPECT_EQ(job("failed").n_sources_failed, 1);
    EXPECT_EQ(items("failed")[3].n_missing, 1);
    EXPECT_EQ(items("meshless")[3].error, "no source was computed");
}

TEST_F(FromMigration009, FilesOfItsJobsAreInUse) {
    for (const char* name : {"finished", "failed", "running", "new"}) {
        std::vector<std::string> files = {sha256_hex(store_->get_job(job(name).job_id).request)};
        for (const store::JobItem& item : items(name)) {
            if (item.state == ItemState::Done) {
                files.push_back(item.sha256);
            }
        }
        EXPECT_TRUE(store_->note_loose_files(files).empty()) << name;
    }
    EXPECT_EQ(store_->note_loose_files(std::vector{sha256_hex("none")}).size(), 1U);
}

TEST_F(FromMigration009, DatasetsOfItsJobsAreThere) {
    std::vector<std::string> listed;
    for (const store::Dataset& dataset : store_->list_datasets({}, 100, "").rows) {
        const auto items = store_->list_items(dataset.job_id, 10, "").rows;
        EXPECT_EQ(dataset.sha256, items.back().sha256) << dataset.title;
        EXPECT_EQ(dataset.n_missing, items.back().n_missing) << dataset.title;
        EXPECT_EQ(dataset.made_s, store_->get_job(dataset.job_id).ended_s) << dataset.title;
        listed.push_back(dataset.title);
    }
    std::ranges::sort(listed);
    EXPECT_EQ(listed, (std::vector<std::string>{"failed", "finished"}));

    const auto old = store_->undescribed_datasets(100);
    EXPECT_EQ(old.size(), store_->list_jobs({}, 100, "").rows.size());
    store_->describe_dataset(job("finished").job_id, {"elastic", {}, "", {"A"}, {}});
    store::DatasetFilter filter;
    filter.stations = {"A"};
    EXPECT_EQ(store_->list_datasets(filter, 100, "").rows.size(), 1U);
    EXPECT_EQ(store_->undescribed_datasets(100).size(), old.size() - 1);
}

TEST_F(FromMigration009, WhatWasRunningEndsUnderItsFences) {
    const auto known = store_->claim({kWorker, pools(), "claim 13", "", ""});  // answered before
    ASSERT_EQ(known.size(), 1U);
    EXPECT_EQ(known[0].verb, "package");
    EXPECT_EQ(known[0].missing, std::vector<std::string>{sha256_hex("a6")});
    EXPECT_EQ(complete(known[0].held(), true), LeaseResult::Ok);
    EXPECT_EQ(job("packaging").state, JobState::Failed);
    EXPECT_EQ(items("packaging")[3].n_missing, 1);

    for (const char* before : {"claim 15", "claim 16"}) {
        const auto solve = store_->claim({kWorker, pools(), before, "", ""});
        ASSERT_EQ(solve.size(), 1U) << before;
        EXPECT_EQ(solve[0].verb, "solve");
        EXPECT_EQ(complete(solve[0].held()), LeaseResult::Ok);
    }
    // "joined" waits for a source of its own, "running" has all of its sources.
    for (const char* label : {"c5", "mesh", "package", "package", "a7", "b7", "package"}) {
        EXPECT_EQ(complete(claim(label).held()), LeaseResult::Ok) << label;
    }
    for (const char* name : {"running", "joined", "new"}) {
        EXPECT_EQ(job(name).state, JobState::Done) << name;
        EXPECT_EQ(items(name)[3].n_missing, 0) << name;
    }
    EXPECT_EQ(store_->count_tasks().blocked + store_->count_tasks().ready, 0);
}

TEST_F(FromMigration009, WhatFailedIsRetriedAndJoined) {
    for (const char* name : {"running", "joined", "packaging", "new"}) {
        store_->cancel_job(job(name).job_id);
    }
    EXPECT_EQ(store_->count_tasks().ready + store_->count_tasks().blocked, 0);

    EXPECT_EQ(store_->retry_job(job("failed").job_id).n_live, 2);
    EXPECT_EQ(store_->retry_job(job("meshless").job_id).n_live, 4);
    for (const char* label : {"a2", "mesh", "package", "a3", "b3", "package"}) {
        EXPECT_EQ(complete(claim(label).held()), LeaseResult::Ok) << label;
    }

    EXPECT_EQ(job("failed").state, JobState::Done);
    EXPECT_EQ(job("meshless").state, JobState::Done);
    EXPECT_EQ(items("failed")[3].state, ItemState::Done);
}

TEST_F(FromMigration018, CordonsAndDrainsAreWhatTheyWere) {
    const auto cordons = store_->list_cordons();
    ASSERT_EQ(cordons.size(), 1U);
    EXPECT_EQ(cordons[0].kind, store::CordonKind::Gpu);
    EXPECT_EQ(cordons[0].value, kGpuOf018);
    EXPECT_EQ(cordons[0].host, "node1");
    EXPECT_EQ(cordons[0].by, "") << "its faults did it";
    EXPECT_TRUE(cordons[0].reason.starts_with(kGpuOf018 + ": 3 faults")) << cordons[0].reason;
    const auto drains = store_->list_drains();
    ASSERT_EQ(drains.size(), 2U);
    EXPECT_EQ(drains[0].value, "n7");
    EXPECT_EQ(drains[0].reason + drains[0].by, "");
    EXPECT_EQ(store_->list_quotas().at(0).queued, 10);
    EXPECT_EQ(store_->list_audit(100, "").rows.size(), 11U);
}

TEST_F(FromMigration018, FailuresOfBeforeAreListed) {
    const auto failures = store_->list_failures(100);
    ASSERT_FALSE(failures.empty());
    EXPECT_EQ(failures[0].label, "");
    EXPECT_TRUE(failures[0].error.starts_with("DeviceFault: ")) << failures[0].error;
}

TEST_F(FromMigration018, WorkOfBeforeGoesOn) {
    EXPECT_EQ(store_->list_datasets({}, 10, "").rows.size(), 1U);
    EXPECT_EQ(job("third").state, JobState::Cancelled);
    const auto jobs = store_->list_jobs({"", "tiny", {}}, 10, "").rows;
    ASSERT_EQ(jobs.size(), 2U);
    const std::string waiting = jobs[0].job_id;
    EXPECT_EQ(jobs[0].state, JobState::Active);
    EXPECT_EQ(jobs[0].traceparent, "");
    EXPECT_EQ(jobs[1].state, JobState::Done);

    store_->set_clock_offset(3600);  // its worker has fallen silent, the waits are over
    (void)store_->reap();
    store_->register_worker({kWorker, "test", "node2", "1", 1, 1, {kGpuOf018}});
    EXPECT_TRUE(store_->claim({kWorker, pools(), "cordoned", "", ""}).empty());
    store_->uncordon_gpu(kGpuOf018);
    while (store_->get_job(waiting).state == JobState::Active) {
        const auto tasks = store_->claim({kWorker, pools(), store::make_uuid(), "", ""});
        ASSERT_FALSE(tasks.empty());
        for (const ClaimedTask& task : tasks) {
            EXPECT_EQ(complete(task.held()), LeaseResult::Ok) << task.label;
        }
    }
    EXPECT_EQ(store_->get_job(waiting).state, JobState::Done);
}

}  // namespace
}  // namespace kaname::conformance::migration_test
