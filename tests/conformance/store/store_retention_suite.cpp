// SPDX-License-Identifier: BSD-3-Clause
// Which files are in use, and which rows go with time: what every Store does.
#include <algorithm>
#include <set>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_retention_suite {
namespace {

using store::Removable;

constexpr double kDay_s = 86400;

std::string hash(const std::string& text) {
    return sha256_hex(text);
}

class Retention : public StoreConformance {
protected:
    /// A job of one source "key" with these files.
    std::string submit_with(const std::string& key, const std::vector<std::string>& files,
                            const std::string& payload = "spec") {
        store::Submission submission;
        submission.principal = submission.owner = "ann";
        submission.request_id = store::make_uuid();
        submission.body_sha256 = hash("body");
        submission.name = "job";
        submission.request = "{}";
        submission.items = {{.content_key = hash(key),
                             .verb = "solve",
                             .compat_key = "m",
                             .pool = "gpu",
                             .label = key,
                             .payload = payload,
                             .source = true}};
        submission.files = files;
        submission.check_files = check_;
        return store_.submit(submission).job_id;
    }
    std::vector<std::string> loose(const std::vector<std::string>& files) {
        std::vector<std::string> found;
        for (const store::LooseFile& file : store_.note_loose_files(files)) {
            found.push_back(file.sha256);
        }
        return found;
    }
    /// Returns the files that forget_files removes when none need be older than `least_s`.
    std::vector<std::string> forget(const std::vector<std::string>& files, double least_s = 0) {
        std::vector<Removable> removable;
        for (const std::string& file : files) {
            removable.push_back({file, least_s});
        }
        return store_.forget_files(removable, [&](const std::string& file) {
            removed_.insert(file);
            return true;
        });
    }
    void solve(const std::string& result) {
        const auto tasks = claim("w");
        ASSERT_EQ(tasks.size(), 1U);
        ASSERT_EQ(complete("w", tasks[0].held(), result), store::LeaseResult::Ok);
    }
    using Files = std::vector<std::string>;

    std::function<void()> check_;
    std::set<std::string> removed_;
};

TEST_P(Retention, FilesOfAJobAreInUseUntilItIsDeleted) {
    const std::string job = submit_with("a", {hash("spec"), hash("input")});
    EXPECT_EQ(loose({hash("spec"), hash("input"), hash("other")}), Files{hash("other")});
    solve("result");
    EXPECT_EQ(loose({hash("result")}), Files{});

    store_.delete_job(job, "");

    Files all = {hash("spec"), hash("input"), hash("result")};
    std::ranges::sort(all);
    EXPECT_EQ(loose(all), all);
    for (const store::LooseFile& file : store_.note_loose_files(all)) {
        EXPECT_EQ(file.result, file.sha256 == hash("result"));
    }
}

TEST_P(Retention, TasksThatLiveOnKeepTheFilesOfADeletedJob) {
    const std::string first = submit_with("a", {hash("spec 1"), hash("input 1")}, "spec 1");
    const std::string second = submit_with("a", {hash("spec 2")}, "spec 2");
    (void)store_.cancel_job(first);
    store_.delete_job(first, "");

    EXPECT_EQ(loose({hash("spec 1"), hash("input 1"), hash("spec 2")}), Files{});

    solve("result");
    EXPECT_EQ(loose({hash("spec 2"), hash("result")}), Files{});
    EXPECT_EQ(loose({hash("spec 1"), hash("input 1")}).size(), 2U);
    EXPECT_GT(store_.prune({}, 10), 0);  // the row that said so
    EXPECT_EQ(store_.prune({}, 10), 0);
}

TEST_P(Retention, WhatAWorkerPutIsInUseForTwoDays) {
    store_.note_result_uploads("token", std::vector{hash("result")});
    EXPECT_EQ(loose({hash("result")}), Files{});
    advance(2 * kDay_s + 1);
    EXPECT_EQ(loose({hash("result")}), Files{hash("result")});
}

TEST_P(Retention, AFileGoesWhenNothingHasReferredToItForLongEnough) {
    EXPECT_EQ(loose({hash("x")}), Files{hash("x")});
    EXPECT_EQ(forget({hash("x")}, 60), Files{});
    advance(61);
    EXPECT_NEAR(store_.note_loose_files(Files{hash("x")})[0].age_s, 61, 5);
    EXPECT_EQ(forget({hash("x"), hash("never noted")}, 60), Files{hash("x")});
    EXPECT_EQ(removed_, std::set<std::string>{hash("x")});
    // The next of this name begins anew.
    EXPECT_NEAR(store_.note_loose_files(Files{hash("x")})[0].age_s, 0, 5);
}

TEST_P(Retention, AJobBeginsTheTimeAnew) {
    (void)loose({hash("x")});
    advance(100);
    store_.cancel_job(submit_with("a", {hash("x")}));
    EXPECT_EQ(forget({hash("x")}, 60), Files{});  // too young again, and in use
    EXPECT_TRUE(removed_.empty());
}

TEST_P(Retention, AFileInUseStaysHoweverLongItWasLoose) {
    (void)loose({hash("x")});
    const std::string job = submit_with("a", {hash("x")});
    advance(1000);
    EXPECT_EQ(forget({hash("x")}, 0), Files{});
    EXPECT_TRUE(removed_.empty());
}

TEST_P(Retention, AFileThatSomebodyAsksForMeanwhileStays) {
    (void)loose({hash("x")});
    const Removable file{hash("x"), 0};
    EXPECT_TRUE(store_.forget_files({&file, 1}, [](const std::string&) { return false; }).empty());
    EXPECT_EQ(forget({hash("x")}), Files{hash("x")});
}

TEST_P(Retention, AResultThatNoJobWantsGoesWithItsFile) {
    const std::string job = submit_with("a", {});
    solve("result");
    store_.delete_job(job, "");
    ASSERT_TRUE(store_.find_artifact(hash("a")));
    (void)loose({hash("result")});

    EXPECT_EQ(forget({hash("result")}), Files{hash("result")});

    EXPECT_FALSE(store_.find_artifact(hash("a")));
    (void)submit_with("a", {});
    EXPECT_EQ(claim("w").size(), 1U) << "it is computed again";
}

TEST_P(Retention, ASubmitIsRefusedWhenAFileOfItIsGone) {
    check_ = [] { throw Error(ErrorCode::Unavailable, "file is gone"); };
    EXPECT_THROW((void)submit_with("a", {hash("x")}), Error);
    EXPECT_TRUE(store_.list_jobs({}, 10, "").rows.empty());
}

TEST_P(Retention, UnknownCheckpointsGo) {
    store_.adopt_checkpoints(Files{hash("left behind")});
    EXPECT_EQ(store_.forget_checkpoints([](const std::string&) {}), Files{hash("left behind")});
}

TEST_P(Retention, OneServerTidiesUp) {
    EXPECT_TRUE(store_.begin_upkeep(60));
    EXPECT_FALSE(store_.begin_upkeep(60));
    advance(61);
    EXPECT_TRUE(store_.begin_upkeep(60));
}

TEST_P(Retention, HistoryGoesInPiecesAndWhatIsNeededStays) {
    for (const char* who : {"a", "b", "c"}) {
        store_.record({.principal = who, .role = "user", .method = "X", .outcome = "ok"});
        store_.record({.principal = who, .role = "user", .method = "X", .outcome = "refused: no"});
    }
    (void)submit({"held"});
    (void)claim("lost");
    advance(40);
    EXPECT_EQ(store_.reap().workers_lost, 1);
    (void)submit({"other"});
    (void)claim("live");
    EXPECT_EQ(store_.prune({}, 2), 0) << "nothing is old";

    store::History history{.ended_s = 1e9, .audit_s = 1e9, .refusals_s = 30};
    EXPECT_EQ(store_.prune(history, 2), 2);
    EXPECT_EQ(store_.prune(history, 2), 1);
    EXPECT_EQ(store_.prune(history, 2), 0);
    EXPECT_EQ(store_.list_audit(10, "").rows.size(), 3U);

    history = {.ended_s = 30, .audit_s = 30, .refusals_s = 30};
    while (store_.prune(history, 2) > 0) {
    }
    EXPECT_TRUE(store_.list_audit(10, "").rows.empty());
    const auto workers = store_.list_workers();
    ASSERT_EQ(workers.size(), 1U);
    EXPECT_EQ(workers[0].registered.worker_id, "live");
    EXPECT_EQ(workers[0].n_running, 1);
    EXPECT_THROW((void)store_.prune(history, 0), Error);
}

std::string name_of(const testing::TestParamInfo<StoreBackend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Store, Retention, testing::ValuesIn(store_backends()), name_of);

}  // namespace
}  // namespace kaname::conformance::store_retention_suite
