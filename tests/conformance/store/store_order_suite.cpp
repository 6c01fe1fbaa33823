// SPDX-License-Identifier: BSD-3-Clause
// The order in which every Store claims, answers, lists and tells.
#include <algorithm>

#include "solvers/base/checksums.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_order_suite {
namespace {

using store::ClaimedTask;
using store::EventType;
using store::WantedItem;

const std::string kWorker = "00000000-0000-4000-8000-00000000000a";

std::string key_of(const std::string& seed) {
    return sha256_hex(seed);
}

/// A mesh that all of a test's jobs share, and sources that wait for it; the labels are the seeds.
std::vector<WantedItem> sources_on_a_mesh(const std::vector<std::string>& seeds,
                                          const std::string& compat_key) {
    std::vector<WantedItem> items = {{key_of("mesh"), "mesh", "", "gpu", {}, "mesh"}};
    for (const std::string& seed : seeds) {
        items.push_back({key_of(seed), "solve", compat_key, "gpu", {key_of("mesh")}, seed});
    }
    return items;
}

std::vector<std::string> labels_of(const std::vector<ClaimedTask>& pack) {
    std::vector<std::string> labels;
    for (const ClaimedTask& task : pack) {
        labels.push_back(task.label);
    }
    return labels;
}

}  // namespace

TEST_P(StoreConformance, WhatIsReleasedAtOneMomentRunsByPlaceInItsJob) {
    submit_items(sources_on_a_mesh({"a1", "a2", "a3"}, ""));
    submit_items(sources_on_a_mesh({"b1", "b2", "b3"}, ""));
    complete(kWorker, claim(kWorker).at(0).held(), "mesh file");

    std::vector<std::string> order;
    for (int k = 0; k < 6; ++k) {
        order.push_back(claim(kWorker).at(0).label);
    }

    EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "a2", "b2", "a3", "b3"}));
}

TEST_P(StoreConformance, FullPackTakesTheFirstPlacesOfEveryJob) {
    submit_items(sources_on_a_mesh({"a1", "a2", "a3", "a4"}, "m"));
    submit_items(sources_on_a_mesh({"b1", "b2", "b3", "b4"}, "m"));
    complete(kWorker, claim(kWorker).at(0).held(), "mesh file");

    EXPECT_EQ(labels_of(claim(kWorker)), (std::vector<std::string>{"a1", "b1", "a2", "b2"}));
    EXPECT_EQ(labels_of(claim(kWorker)), (std::vector<std::string>{"a3", "b3", "a4", "b4"}));
}

TEST_P(StoreConformance, PackIsToldByPlaceWhoeverIsFirstInLine) {
    submit_items(sources_on_a_mesh({"a1", "a2", "a3"}, "m"));
    submit_items(sources_on_a_mesh({"a3"}, "m"), 5);  // a3 is now first in line
    complete(kWorker, claim(kWorker).at(0).held(), "mesh file");

    EXPECT_EQ(labels_of(claim(kWorker)), (std::vector<std::string>{"a1", "a2", "a3"}));
}

TEST_P(StoreConformance, EventsOfOneEndComeByPlaceInTheJob) {
    const std::vector<std::string> seeds = {"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"};
    const std::string job = submit_items(sources_on_a_mesh(seeds, "m")).job_id;

    store_.fail(kWorker, {claim(kWorker).at(0).held(), "BadMesh", "an element is flat", false});

    std::vector<std::int64_t> failed;
    for (const store::JobEvent& event : store_.list_events(job, 0, 1000)) {
        if (event.type == EventType::ItemFailed) {
            failed.push_back(event.ordinal);
        }
    }
    if (GetParam().name == "PostgresInPieces") {
        std::ranges::sort(failed);  // by place within each piece: each of them once all the same
    }
    EXPECT_EQ(failed, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    expect_consistent(job);
}

TEST_P(StoreConformance, EventsOfTasksThatDieTogetherComeByPlaceInTheJob) {
    const std::vector<std::string> seeds = {"s1", "s2", "s3", "s4"};
    const std::string job = submit(seeds).job_id;
    std::vector<std::int64_t> failed;
    // Tasks that crashed once too often run alone: each has a worker of its own.
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < 4; ++k) {
            const std::string id = std::to_string(round) + std::to_string(k);
            (void)claim("00000000-0000-4000-8000-0000000000" + id);
        }
        advance(31);
        store_.reap();
        advance(600);
    }

    for (const store::JobEvent& event : store_.list_events(job, 0, 1000)) {
        if (event.type == EventType::ItemFailed) {
            failed.push_back(event.ordinal);
        }
    }
    EXPECT_EQ(failed, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_P(StoreConformance, DeletedJobMovesNoPage) {
    std::vector<std::string> jobs;
    for (const char* seed : {"a", "b", "c", "d"}) {
        jobs.push_back(submit({seed}).job_id);
    }
    const auto first = store_.list_jobs({}, 2, "");
    ASSERT_EQ(first.rows.size(), 2U);
    EXPECT_EQ(first.rows[1].job_id, jobs[2]);

    (void)store_.cancel_job(jobs[0]);
    store_.delete_job(jobs[0], "");
    const auto rest = store_.list_jobs({}, 2, first.next);

    ASSERT_EQ(rest.rows.size(), 1U);
    EXPECT_EQ(rest.rows[0].job_id, jobs[1]);
    EXPECT_EQ(rest.next, "");
}

TEST_P(StoreConformance, WorkersAreListedNewestFirst) {
    const std::string prefix = "00000000-0000-4000-8000-00000000000";
    for (const char* end : {"b", "c", "a"}) {
        store_.register_worker({prefix + end, "test"});
        advance(1);
    }
    store_.register_worker({prefix + "b", "test"});  // again: keeps its place

    std::vector<std::string> listed;
    for (const store::WorkerInfo& worker : store_.list_workers()) {
        listed.push_back(worker.registered.worker_id);
    }
    EXPECT_EQ(listed, (std::vector<std::string>{prefix + "a", prefix + "c", prefix + "b"}));
}

}  // namespace kaname::conformance::store_order_suite
