// SPDX-License-Identifier: BSD-3-Clause
// The holder of one worker token harms that token alone: by registrations, faults of GPUs, tasks
// that fail.
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_one_token_suite {
namespace {

using store::ClaimedTask;
using store::GpuFault;

const std::string kGood = "00000000-0000-4000-8000-00000000000a";
const std::string kBad = "00000000-0000-4000-8000-00000000000b";
const std::string kGpu = "GPU-aaaaaaaa";

class OneToken : public StoreConformance {
protected:
    void add(const std::string& worker, const std::string& token,
             const std::vector<std::string>& gpus = {}) {
        store_.register_worker({worker, "test", "host", "1", 1, 1, gpus, token});
    }
    std::string three_faults(const std::string& worker, const std::string& id) {
        const std::vector<GpuFault> faults = {
            {id + "1", kGpu, "x"}, {id + "2", kGpu, "x"}, {id + "3", kGpu, "x"}};
        return store_.record_gpu_faults(worker, faults);
    }
    void crash(const std::string& worker, const ClaimedTask& task) {
        (void)store_.fail(worker, {task.held(), "crashed", "boom", true, true});
    }
    std::vector<ClaimedTask> claim_as(const std::string& worker, const std::string& pool = "gpu") {
        return store_.claim({worker, {pool}, "claim " + std::to_string(++n_), "", ""});
    }

private:
    int n_ = 0;
};

TEST_P(OneToken, HasAtMost64LiveWorkers) {
    const auto id_of = [](int k) {
        return "00000000-0000-4000-8000-000000000" + std::to_string(100 + k);
    };
    for (int k = 0; k < 64; ++k) {
        add(id_of(k), "evil");
    }

    EXPECT_NO_THROW(add(id_of(7), "evil")) << "registers again";
    try {
        add(id_of(64), "evil");
        FAIL() << "is registered";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Exhausted);
        EXPECT_NE(std::string(error.what()).find("at most 64"), std::string::npos);
    }
    EXPECT_NO_THROW(add(id_of(65), "other"));
    store_.remove_worker(id_of(3));
    EXPECT_NO_THROW(add(id_of(64), "evil"));
}

TEST_P(OneToken, ThatRegistersAndLeavesForEverFillsNoList) {
    for (int k = 0; k < 200; ++k) {
        const std::string id = "00000000-0000-4000-8000-000000000" + std::to_string(100 + k);
        add(id, "evil");
        store_.remove_worker(id);
    }

    EXPECT_EQ(store_.list_workers().size(), 64U);
}

TEST_P(OneToken, ThatToldFaultsOfAGpuDoesNotCordonALaterOwners) {
    submit({"a"});
    add(kBad, "evil", {kGpu});
    EXPECT_NE(three_faults(kBad, "evil"), "");
    store_.remove_worker(kBad);

    add(kGood, "node7", {kGpu});

    EXPECT_EQ(store_.heartbeat(kGood, {}).cordon, "");
    EXPECT_EQ(store_.list_workers().front().cordon, "");
    EXPECT_TRUE(store_.list_cordons().at(0).of_one_token);
    const GpuFault one{"one", kGpu, "x"};
    EXPECT_EQ(store_.record_gpu_faults(kGood, {&one, 1}), "");
    EXPECT_EQ(claim_as(kGood).size(), 1U);
    EXPECT_NE(three_faults(kGood, "mine"), "") << "its own faults count";
    EXPECT_NE(store_.heartbeat(kGood, {}).cordon, "");
}

TEST_P(OneToken, OfAServersAgentsIsCordonedForTheNextAgentToo) {
    const store::Token first = store_.add_token(
        {.sha256 = std::string(64, 'a'), .name = "local-1", .role = "worker", .place = "/state"});
    const store::Token next = store_.add_token(
        {.sha256 = std::string(64, 'b'), .name = "local-1", .role = "worker", .place = "/state"});
    add(kBad, first.token_id, {kGpu});
    EXPECT_NE(three_faults(kBad, "agent"), "");
    store_.remove_worker(kBad);

    add(kGood, next.token_id, {kGpu});

    EXPECT_NE(store_.heartbeat(kGood, {}).cordon, "");
    EXPECT_FALSE(store_.list_cordons().at(0).of_one_token);
}

TEST_P(OneToken, LeavesATaskThatItFailedToOthersForAMinute) {
    add(kBad, "evil");
    add(kGood, "node7");
    EXPECT_TRUE(claim_as(kGood).empty());
    submit({"a"});
    crash(kBad, claim_as(kBad).at(0));
    advance(10);

    EXPECT_TRUE(claim_as(kBad).empty());
    const auto retried = claim_as(kGood);
    ASSERT_EQ(retried.size(), 1U);
    EXPECT_EQ(complete(kGood, retried[0].held()), store::LeaseResult::Ok);
}

TEST_P(OneToken, TriesAgainWhatNobodyElseTakes) {
    add(kBad, "evil");
    add(kGood, "node7");
    EXPECT_TRUE(claim_as(kGood).empty());
    submit({"a"});
    crash(kBad, claim_as(kBad).at(0));
    advance(63);
    (void)store_.heartbeat(kGood, {});

    EXPECT_EQ(claim_as(kBad).size(), 1U) << "after a minute";
}

TEST_P(OneToken, TriesAgainAtOnceWhereThereIsNoOther) {
    submit({"a"});
    add(kBad, "evil");
    crash(kBad, claim_as(kBad).at(0));
    advance(10);

    EXPECT_EQ(claim_as(kBad).size(), 1U);
}

TEST_P(OneToken, TriesAgainAtOnceWhatOthersDoNotTake) {
    add(kBad, "evil");
    add(kGood, "node7");
    EXPECT_TRUE(claim_as(kGood, "cpu").empty()) << "has no GPU";
    submit({"a"});
    crash(kBad, claim_as(kBad).at(0));
    advance(10);

    EXPECT_EQ(claim_as(kBad).size(), 1U);
}

TEST_P(OneToken, TriesAgainAtOnceWhereTheOthersAreCordoned) {
    add(kBad, "evil");
    add(kGood, "node7");
    store_.set_cordon({store::CordonKind::Worker, kGood, "", "broken fan"}, true);
    EXPECT_TRUE(claim_as(kGood).empty());
    submit({"a"});
    crash(kBad, claim_as(kBad).at(0));
    advance(10);

    EXPECT_EQ(claim_as(kBad).size(), 1U);
}

TEST_P(OneToken, IsSetAsideAfterFiveTasksInARowThatOthersDid) {
    add(kBad, "evil");
    add(kGood, "node7");
    for (int k = 0; k < 5; ++k) {
        EXPECT_EQ(store_.heartbeat(kBad, {}).cordon, "") << k;
        const std::string job = submit({std::to_string(k)}).job_id;
        crash(kBad, claim_as(kBad).at(0));
        advance(10);
        EXPECT_EQ(complete(kGood, claim_as(kGood).at(0).held()), store::LeaseResult::Ok);
        EXPECT_EQ(store_.get_job(job).state, store::JobState::Done);
    }

    EXPECT_EQ(store_.heartbeat(kBad, {}).cordon,
              "set aside: other workers did 5 tasks in a row that failed here; \"kaname worker "
              "uncordon\" lifts it");
    EXPECT_EQ(store_.heartbeat(kGood, {}).cordon, "");
    submit({"next"});
    EXPECT_TRUE(claim_as(kBad).empty());
    store_.set_cordon({store::CordonKind::Worker, kBad}, false);
    EXPECT_EQ(claim_as(kBad).size(), 1U);
}

TEST_P(OneToken, ThatDoesATaskInBetweenIsNotSetAside) {
    add(kBad, "evil");
    add(kGood, "node7");
    for (int k = 0; k < 7; ++k) {
        submit({std::to_string(k)});
        const ClaimedTask task = claim_as(kBad).at(0);
        if (k == 3) {
            EXPECT_EQ(complete(kBad, task.held()), store::LeaseResult::Ok);
            continue;
        }
        crash(kBad, task);
        advance(10);
        EXPECT_EQ(complete(kGood, claim_as(kGood).at(0).held()), store::LeaseResult::Ok);
    }

    EXPECT_EQ(store_.heartbeat(kBad, {}).cordon, "");
}

TEST_P(OneToken, IsNotBlamedForATaskThatNobodyCanDo) {
    add(kBad, "node8");
    add(kGood, "node7");
    for (int k = 0; k < 6; ++k) {
        submit({std::to_string(k)});
        crash(kBad, claim_as(kBad).at(0));
        advance(10);
        const ClaimedTask again = claim_as(kGood).at(0);
        (void)store_.fail(kGood, {again.held(), "diverged", "of itself", false, false});
    }

    EXPECT_EQ(store_.heartbeat(kBad, {}).cordon, "");
    EXPECT_EQ(store_.heartbeat(kGood, {}).cordon, "");
}

INSTANTIATE_TEST_SUITE_P(Store, OneToken, testing::ValuesIn(store_backends()),
                         [](const testing::TestParamInfo<StoreBackend>& info) {
                             return info.param.name;
                         });

}  // namespace
}  // namespace kaname::conformance::store_one_token_suite
