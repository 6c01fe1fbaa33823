// SPDX-License-Identifier: BSD-3-Clause
#include "server/space/garbage_collector.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/memory_artifacts/memory_store.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::space::garbage_collector_test {
namespace {

constexpr double kHour_s = 3600, kDay_s = 24 * kHour_s;

class CollectorTest : public testing::Test {
protected:
    artifacts::StoreOptions options() {
        artifacts::StoreOptions result;
        result.partial_lifetime = std::chrono::hours(24 * 7);
        result.now = [this] { return now(); };
        return result;
    }
    [[nodiscard]] artifacts::TimePoint now() const {
        return artifacts::TimePoint(std::chrono::seconds(static_cast<std::int64_t>(now_s_)));
    }
    static std::string put(artifacts::ArtifactStore& store, const std::string& text,
                           std::size_t bytes = std::string::npos) {
        const auto upload = store.begin_put(sha256_hex(text), text.size());
        upload->write(0, std::as_bytes(std::span(text)).subspan(0, std::min(bytes, text.size())));
        if (bytes >= text.size()) {
            upload->commit();
        }
        return sha256_hex(text);
    }
    void submit(const std::vector<std::string>& files) {
        store::Submission wanted;
        wanted.principal = wanted.owner = "ann";
        wanted.request_id = store::make_uuid();
        wanted.body_sha256 = sha256_hex("body");
        wanted.name = "job";
        wanted.request = "{}";
        wanted.items = {{.content_key = sha256_hex("key"), .verb = "solve", .pool = "cpu"}};
        wanted.files = files;
        job_ = store_.submit(wanted).job_id;
    }
    void solve(const std::string& result) {
        store_.register_worker({"w", "w"});
        const auto tasks = store_.claim({"w", {"cpu"}, store::make_uuid(), "", ""});
        ASSERT_EQ(tasks.size(), 1U);
        const store::Completion done{tasks[0].held(), result, "", 1, false};
        ASSERT_EQ(store_.complete("w", {&done, 1}).at(0), store::LeaseResult::Ok);
    }
    Sweep sweep_after(double seconds, bool dry_run = false) {
        now_s_ += seconds;
        return collector_.sweep(dry_run);
    }

    double now_s_ = 1e9;
    TemporaryFolder logs_;
    store::memory::MemoryStore store_{{}, [this] { return now_s_; }};
    artifacts::memory::MemoryStore artifacts_{options()}, checkpoints_{options()};
    GarbageCollector collector_{
        {store_, artifacts_, checkpoints_, logs_.path(), [this] { return now(); }}, {}};
    std::string job_;
};

TEST_F(CollectorTest, AnUploadIsKeptForItsGraceAndThenGoes) {
    const std::string upload = put(artifacts_, "upload");
    EXPECT_EQ(sweep_after(0).n_loose, 1);
    EXPECT_EQ(sweep_after(kDay_s - 10).n_removed, 0);
    const Sweep gone = sweep_after(20);
    EXPECT_EQ(gone.n_removed, 1);
    EXPECT_EQ(gone.removed_bytes, 6);
    EXPECT_FALSE(artifacts_.exists(upload));
}

TEST_F(CollectorTest, WhoFindsAFileCompleteMayCountOnItForTheGrace) {
    const std::string upload = put(artifacts_, "upload");
    (void)sweep_after(0);
    now_s_ += kDay_s + 10;
    EXPECT_EQ(artifacts_.look_up(upload, 6), 6U);  // a client that need not send it
    EXPECT_EQ(sweep_after(0).n_due, 0);
    EXPECT_EQ(sweep_after(kDay_s - 20).n_removed, 0);
    submit({upload});
    EXPECT_EQ(sweep_after(kDay_s * 400).n_removed, 0) << "a job names it";
    EXPECT_TRUE(artifacts_.exists(upload));
}

TEST_F(CollectorTest, ResultsThatNoJobHasAreKeptLonger) {
    submit({});
    const std::string result = put(artifacts_, "result");
    solve(result);
    EXPECT_EQ(sweep_after(kDay_s * 400).n_loose, 0) << "for ever for a job that exists";
    store_.delete_job(job_, "");
    EXPECT_EQ(sweep_after(0).n_loose, 1);
    EXPECT_EQ(sweep_after(kDay_s * 29).n_removed, 0);
    EXPECT_TRUE(store_.find_artifact(sha256_hex("key")));
    EXPECT_EQ(sweep_after(kDay_s * 2).n_removed, 1);
    EXPECT_FALSE(store_.find_artifact(sha256_hex("key")));
}

TEST_F(CollectorTest, ADryRunTellsAndRemovesNothing) {
    const std::string upload = put(artifacts_, "upload");
    (void)sweep_after(0, true);
    const Sweep told = sweep_after(kDay_s + 1, true);
    EXPECT_EQ(told.n_due, 1);
    EXPECT_EQ(told.due_bytes, 6);
    EXPECT_EQ(told.n_removed, 0);
    EXPECT_TRUE(artifacts_.exists(upload));
}

TEST_F(CollectorTest, UnfinishedUploadsGoAfterAWeek) {
    (void)put(artifacts_, "half of it", 4);
    EXPECT_EQ(sweep_after(kDay_s * 6).n_partials, 0);
    EXPECT_EQ(sweep_after(kDay_s * 2).n_partials, 1);
}

TEST_F(CollectorTest, CheckpointsThatNobodyNotedGo) {
    const std::string left = put(checkpoints_, "left behind");
    (void)sweep_after(kDay_s + 1);
    EXPECT_EQ(store_.forget_checkpoints([](const std::string&) {}), std::vector{left});
}

TEST_F(CollectorTest, LogsOfStagesGoWithHistory) {
    write_file(logs_.path() / "old.log", "x");
    write_file(logs_.path() / "new.log", "x");
    std::filesystem::last_write_time(
        logs_.path() / "old.log",
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 31));
    EXPECT_EQ(sweep_after(0).n_logs, 1);
    EXPECT_TRUE(std::filesystem::exists(logs_.path() / "new.log"));
}

TEST_F(CollectorTest, OneFileCanBeDiscardedUnlessItIsInUse) {
    const std::string used = put(artifacts_, "used"), loose = put(artifacts_, "loose");
    submit({used});
    EXPECT_FALSE(collector_.discard(used));
    EXPECT_TRUE(collector_.discard(loose));
    EXPECT_TRUE(artifacts_.exists(used));
    EXPECT_FALSE(artifacts_.exists(loose));
}

TEST_F(CollectorTest, ASweepStopsWhenItIsTold) {
    (void)put(artifacts_, "upload");
    now_s_ += kDay_s * 2;
    EXPECT_EQ(collector_.sweep(false, [] { return true; }).n_files, 0);
}

TEST_F(CollectorTest, TheServersThreadSweepsByItself) {
    (void)put(artifacts_, "upload");
    (void)sweep_after(0);
    now_s_ += kDay_s * 2;
    DiskSpace room({}, {});
    std::atomic<bool> told = false;
    {
        GarbageCollectorThread upkeep(
            store_, room, collector_,
            {.sweep_every_s = 0.01, .log = [&](const std::string&) { told = true; }});
        for (int k = 0; k < 1000 && !told; ++k) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    EXPECT_TRUE(told);
    EXPECT_TRUE(artifacts_.list().empty());
}

}  // namespace
}  // namespace kaname::space::garbage_collector_test
