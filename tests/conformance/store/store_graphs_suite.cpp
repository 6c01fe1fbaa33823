// SPDX-License-Identifier: BSD-3-Clause
// Graphs that are no mesh, solves and package: the store knows none of these words.
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_graphs_suite {
namespace {

using store::ClaimedTask;
using store::ItemState;
using store::Job;
using store::JobState;
using store::WantedItem;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

/// Earth models are drawn, each is waved through in two steps, an atlas gathers what came of them
/// and needs a base map. Listed backwards: the order says nothing.
std::vector<WantedItem> survey() {
    std::vector<WantedItem> items;
    WantedItem atlas{key_of("atlas"), "draw", "", "gpu", {key_of("map")}, "atlas"};
    for (const std::string name : {"a", "b"}) {
        items.push_back({key_of("quake " + name),
                         "wave",
                         "w",
                         "gpu",
                         {key_of("still " + name)},
                         "quake " + name,
                         "",
                         {},
                         true});
        items.push_back({key_of("still " + name),
                         "settle",
                         "s",
                         "gpu",
                         {key_of("earth " + name)},
                         "still " + name});
        items.push_back({key_of("earth " + name), "sample", "", "gpu", {}, "earth " + name});
        atlas.gathers.push_back(key_of("quake " + name));
    }
    items.push_back({key_of("map"), "project", "", "gpu", {}, "map"});
    items.push_back(atlas);
    return items;
}

class Graphs : public StoreConformance {
protected:
    /// Claims until nothing is ready and ends each task well, but those of `failing`.
    std::vector<std::string> run(const std::string& failing = "") {
        std::vector<std::string> verbs;
        for (auto tasks = claim(kWorker); !tasks.empty(); tasks = claim(kWorker)) {
            advance(1);  // who is ready first is first in line
            for (const ClaimedTask& task : tasks) {
                EXPECT_EQ(task.verb, tasks[0].verb) << "one verb to a pack";
                verbs.push_back(task.verb);
                if (task.label == failing) {
                    store_.fail(kWorker, {task.held(), "input", "no water", false});
                } else if (task.missing.empty()) {
                    complete(kWorker, task.held());
                } else {
                    const store::Completion part{task.held(), key_of("part"), "", 1, true};
                    store_.complete(kWorker, {&part, 1});
                }
            }
        }
        return verbs;
    }
    store::JobItem item(const std::string& job, const std::string& label) {
        for (const store::JobItem& item : store_.list_items(job, 20, "").rows) {
            if (item.label == label) {
                return item;
            }
        }
        ADD_FAILURE() << label;
        return {};
    }
};

TEST_P(Graphs, RunLevelByLevel) {
    const std::string job = submit_items(survey()).job_id;

    const std::vector<std::string> verbs = run();

    EXPECT_EQ(verbs, (std::vector<std::string>{"sample", "sample", "project", "settle", "settle",
                                               "wave", "wave", "draw"}));
    const Job ended = store_.get_job(job);
    EXPECT_EQ(ended.state, JobState::Done);
    EXPECT_EQ(ended.n_sources, 2);
    EXPECT_EQ(ended.n_sources_done, 2);
    EXPECT_EQ(item(job, "quake a").verb, "wave");
    EXPECT_TRUE(item(job, "quake a").source);
    EXPECT_FALSE(item(job, "still a").source);
    expect_consistent(job);
}

TEST_P(Graphs, AFailureGoesDownTheChainAndTheGathererTakesTheRest) {
    const std::string job = submit_items(survey()).job_id;

    run("earth b");

    EXPECT_EQ(item(job, "still b").error, "a stage that it needs failed: input: no water");
    EXPECT_EQ(item(job, "quake b").error, "a stage that it needs failed: input: no water");
    EXPECT_EQ(item(job, "atlas").state, ItemState::Done);
    EXPECT_EQ(item(job, "atlas").n_missing, 1);
    EXPECT_EQ(store_.get_job(job).state, JobState::Failed);
    EXPECT_FALSE(store_.find_artifact(key_of("atlas")));

    EXPECT_EQ(store_.retry_job(job).n_live, 4);
    EXPECT_EQ(run(), (std::vector<std::string>{"sample", "settle", "wave", "draw"}));
    EXPECT_EQ(store_.get_job(job).state, JobState::Done);
    expect_consistent(job);
}

TEST_P(Graphs, AGathererFailsWithWhatItNeeds) {
    const std::string job = submit_items(survey()).job_id;

    run("map");

    EXPECT_EQ(item(job, "atlas").error, "a stage that it needs failed: input: no water");
    EXPECT_EQ(store_.get_job(job).n_sources_done, 2);
    EXPECT_EQ(store_.count_tasks().blocked, 0);
    expect_consistent(job);
}

TEST_P(Graphs, CancellingTakesAllLevelsButWhatAnotherJobNeeds) {
    const std::string job = submit_items(survey()).job_id;
    std::vector<WantedItem> half = survey();
    std::erase_if(half, [](const WantedItem& planned) {
        return planned.label != "earth a" && planned.label != "still a";
    });
    const std::string other = submit_items(half).job_id;

    store_.cancel_job(job);

    EXPECT_EQ(store_.count_tasks().ready, 1);
    EXPECT_EQ(store_.count_tasks().blocked, 1);
    EXPECT_EQ(run(), (std::vector<std::string>{"sample", "settle"}));
    EXPECT_EQ(store_.get_job(other).state, JobState::Done);
    EXPECT_EQ(store_.retry_job(job).n_done, 2);
    expect_consistent(job);
}

INSTANTIATE_TEST_SUITE_P(Store, Graphs, testing::ValuesIn(store_backends()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kaname::conformance::store_graphs_suite
