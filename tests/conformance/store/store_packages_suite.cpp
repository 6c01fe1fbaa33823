// SPDX-License-Identifier: BSD-3-Clause
// Packages that jobs share: a job that is done never has a dataset that lacks one of its sources.
#include "solvers/base/checksums.hpp"
#include "tests/conformance/store/package_players.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_packages_suite {
namespace {

using store::ClaimedTask;
using store::ItemState;
using store::Job;
using store::JobState;
using store::LeaseResult;
using store::WantedItem;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";
const std::string kOther = "00000000-0000-4000-8000-00000000000b";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

/// Sources and their package, in the order in which a batch has them.
std::vector<WantedItem> batch(const std::vector<std::string>& sources) {
    std::vector<WantedItem> items;
    WantedItem package{key_of("package"), "package", "", "gpu", {}, "package"};
    for (const std::string& source : sources) {
        items.push_back({key_of(source), "solve", source, "gpu", {}, source, "", {}, true});
        package.gathers.push_back(key_of(source));
    }
    items.push_back(package);
    return items;
}

}  // namespace

/// Claims one task at a time and ends it as its label says.
class SharedPackages : public StoreConformance {
protected:
    ClaimedTask claim_one(const std::string& worker, const std::string& label) {
        const auto tasks = claim(worker, label == "package" ? "" : label);
        EXPECT_EQ(tasks.size(), 1U) << label;
        EXPECT_EQ(tasks.empty() ? "" : tasks[0].label, label);
        return tasks.empty() ? ClaimedTask{} : tasks[0];
    }
    void fail(const ClaimedTask& task) {
        EXPECT_EQ(store_.fail(kWorker, {task.held(), "NotConverged", "too slow", false}),
                  LeaseResult::Ok);
    }
    /// Completes a package as the agent does: as partial when something is missing.
    void finish_package(const std::string& worker, const ClaimedTask& task,
                        const std::string& file) {
        const store::Completion completion{task.held(), key_of(file), "file", 5,
                                           !task.missing.empty()};
        EXPECT_EQ(store_.complete(worker, {&completion, 1}).front(), LeaseResult::Ok);
    }
    store::JobItem package_of(const std::string& job) {
        return store_.list_items(job, 10, "").rows.back();
    }
};

TEST_P(SharedPackages, APackageWaitsForASourceThatATwinComputesAgain) {
    const std::string first = submit_items(batch({"a", "b"})).job_id;
    fail(claim_one(kWorker, "a"));
    const std::string twin = submit_items(batch({"a", "b"})).job_id;

    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    complete(kWorker, claim_one(kWorker, "a").held(), "a");
    const ClaimedTask package = claim_one(kWorker, "package");
    EXPECT_TRUE(package.missing.empty());
    finish_package(kWorker, package, "whole");

    EXPECT_EQ(store_.get_job(twin).state, JobState::Done);
    EXPECT_EQ(package_of(twin).n_missing, 0);
    EXPECT_EQ(store_.get_job(first).state, JobState::Failed);
    EXPECT_EQ(package_of(first).n_missing, 0) << "the file has the source that failed there";
    expect_consistent(first);
    expect_consistent(twin);
}

TEST_P(SharedPackages, ATwinOfAPackageThatIsReadyMakesItWait) {
    submit_items(batch({"a", "b"}));
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");

    submit_items(batch({"a", "b"}));

    EXPECT_EQ(claim_one(kWorker, "a").attempt, 1);
    EXPECT_TRUE(claim(kWorker).empty());
}

TEST_P(SharedPackages, ATwinOfAPackageThatIsBeingMadeGetsOneOfItsOwn) {
    const std::string first = submit_items(batch({"a", "b"})).job_id;
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    const ClaimedTask partial = claim_one(kWorker, "package");
    EXPECT_EQ(partial.missing, std::vector<std::string>{key_of("a")});
    const std::string twin = submit_items(batch({"a", "b"})).job_id;
    const ClaimedTask again = claim_one(kOther, "a");

    finish_package(kWorker, partial, "partial");
    EXPECT_EQ(store_.get_job(first).state, JobState::Failed);
    EXPECT_EQ(package_of(first).sha256, key_of("partial"));
    EXPECT_EQ(package_of(first).n_missing, 1);
    EXPECT_EQ(package_of(twin).state, ItemState::Live);
    EXPECT_TRUE(claim(kWorker).empty()) << "it waits for the source";
    finish_package(kWorker, partial, "partial");  // the reply was lost
    complete(kOther, again.held(), "a");
    finish_package(kWorker, claim_one(kWorker, "package"), "whole");

    EXPECT_EQ(store_.get_job(twin).state, JobState::Done);
    EXPECT_EQ(package_of(twin).sha256, key_of("whole"));
    EXPECT_EQ(package_of(first).sha256, key_of("partial"));
    expect_consistent(first);
    expect_consistent(twin);
}

TEST_P(SharedPackages, AFileThatLacksWhatWasDoneMeanwhileIsNotTheTwins) {
    submit_items(batch({"a", "b"}));
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    const ClaimedTask partial = claim_one(kWorker, "package");
    const std::string twin = submit_items(batch({"a", "b"})).job_id;
    complete(kOther, claim_one(kOther, "a").held(), "a");

    finish_package(kWorker, partial, "partial");
    EXPECT_EQ(package_of(twin).state, ItemState::Live);
    finish_package(kWorker, claim_one(kWorker, "package"), "whole");

    EXPECT_EQ(package_of(twin).sha256, key_of("whole"));
    EXPECT_TRUE(store_.find_artifact(key_of("package")));
}

TEST_P(SharedPackages, AClaimThatIsRepeatedNamesTheSameMissingSources) {
    submit_items(batch({"a", "b"}));
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    const store::ClaimRequest request{kWorker, {"gpu"}, "twice", "", ""};

    const auto first = store_.claim(request);
    const auto second = store_.claim(request);

    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].missing, std::vector<std::string>{key_of("a")});
    EXPECT_EQ(second[0].missing, first.at(0).missing);
}

TEST_P(SharedPackages, AReturnedPackageWaitsForWhatCameMeanwhile) {
    submit_items(batch({"a", "b"}));
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    const store::Held held = claim_one(kWorker, "package").held();
    submit_items(batch({"a", "b"}));

    EXPECT_EQ(store_.return_tasks(kWorker, {&held, 1}).front(), LeaseResult::Ok);

    EXPECT_EQ(claim_one(kWorker, "a").attempt, 1);
    EXPECT_TRUE(claim(kWorker).empty());
}

TEST_P(SharedPackages, ACancelledTwinLeavesThePackageToTheOthers) {
    const std::string first = submit_items(batch({"a", "b"})).job_id;
    fail(claim_one(kWorker, "a"));
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    const std::string twin = submit_items(batch({"a", "b"})).job_id;

    store_.cancel_job(twin);

    EXPECT_EQ(store_.count_tasks().blocked, 0);
    finish_package(kWorker, claim_one(kWorker, "package"), "partial");
    EXPECT_EQ(package_of(first).n_missing, 1);
    EXPECT_EQ(store_.get_job(first).state, JobState::Failed);
}

TEST_P(SharedPackages, AFileThatLacksAStoredSourceEndsNoJobAsDone) {
    const std::string job = submit_items(batch({"a"})).job_id;
    complete(kWorker, claim_one(kWorker, "a").held(), "a");

    const store::Completion unread{claim_one(kWorker, "package").held(), key_of("file"), "file", 5,
                                   true};
    EXPECT_EQ(store_.complete(kWorker, {&unread, 1}).front(), LeaseResult::Ok);

    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);
    EXPECT_EQ(package_of(job).error,
              "the stored result of a source could not be read, the dataset lacks it");
}

TEST_P(SharedPackages, ARetryComputesASourceWhoseResultIsLost) {
    const std::string job = submit_items(batch({"a", "b"})).job_id;
    complete(kWorker, claim_one(kWorker, "a").held(), "a");
    complete(kWorker, claim_one(kWorker, "b").held(), "b");
    store_.forget_artifact(key_of("a"));
    finish_package(kWorker, claim_one(kWorker, "package"), "partial");
    EXPECT_EQ(package_of(job).error,
              "the stored result of a source is lost; retry the job to compute it again");
    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);

    EXPECT_EQ(store_.retry_job(job).n_live, 2);
    complete(kWorker, claim_one(kWorker, "a").held(), "a");
    finish_package(kWorker, claim_one(kWorker, "package"), "whole");

    EXPECT_EQ(store_.get_job(job).state, JobState::Done);
    EXPECT_EQ(package_of(job).n_missing, 0);
    expect_consistent(job);
}

TEST_P(SharedPackages, EveryJobThatIsDoneHasAllItsSourcesInAnyOrderOfEvents) {
    const int n_seeds = GetParam().name == "Memory" ? 400 : 16;
    for (int seed = 0; seed < n_seeds && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        PackageTable table(store_, seed);
        PackagePlayer one(table, 2 * static_cast<unsigned>(seed)),
            two(table, 2 * static_cast<unsigned>(seed) + 1);
        std::mt19937 random(static_cast<unsigned>(seed));

        for (int step = 0; step < 60; ++step) {
            (random() % 2 == 0 ? one : two).step();
        }
        one.end_all();
        two.end_all();
        one.end_all();  // what the other gave back

        table.expect_right();
        for (const std::string& job : table.jobs()) {
            expect_consistent(job);
            store_.delete_job(job, "");  // each seed's keys are its own: no later one looks at it
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Store, SharedPackages, testing::ValuesIn(store_backends()),
                         [](const auto& info) { return info.param.name; });

}  // namespace kaname::conformance::store_packages_suite
