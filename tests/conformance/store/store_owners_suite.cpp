// SPDX-License-Identifier: BSD-3-Clause
// Every Store keeps the limits of owners, and drains as operators ask.
#include <algorithm>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_owners_suite {
namespace {

using store::Actor;
using store::ClaimedTask;
using store::Drain;
using store::DrainKind;
using store::OwnerQuota;

const Actor kOperator{"olga", "operator"};
const std::string kGpu = "GPU-aaaaaaaa";

template <class Body>
ErrorCode code_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "nothing was refused";
    return ErrorCode::Internal;
}

store::RegisteredWorker worker(const std::string& id, const std::string& host,
                               const std::vector<std::string>& gpus = {},
                               const std::string& token = "") {
    return {id, "w", host, "1", 1, 1, gpus, token};
}

bool is_of(const ClaimedTask& task, const std::string& seed) {
    return task.content_key == sha256_hex(seed);
}

/// Returns the seeds, as given to submit(), of the claimed tasks.
std::string seeds_of(const std::vector<ClaimedTask>& tasks) {
    std::string found;
    for (const char* seed : {"a", "b", "c", "old"}) {
        if (std::ranges::any_of(tasks, [&](const auto& task) { return is_of(task, seed); })) {
            found += (found.empty() ? "" : " ") + std::string(seed);
        }
    }
    return found;
}

store::NewToken token(const std::string& secret, const std::string& place = "") {
    return {.sha256 = sha256_hex(secret), .name = secret, .role = "worker", .place = place};
}

std::string id_of(const std::string& secret) {
    return store::token_id_of(sha256_hex(secret));
}

}  // namespace

TEST_P(StoreConformance, AQuotaIsKeptAndAudited) {
    store_.set_quota({"ann", 100, 4, std::nullopt, 2}, kOperator);
    store_.set_quota({"bob", std::nullopt, std::nullopt, 7, 1});
    store_.set_quota({"ann", 50, std::nullopt, 9, 0.5}, kOperator);

    const auto quotas = store_.list_quotas();

    ASSERT_EQ(quotas.size(), 2U);
    EXPECT_EQ(quotas[0].owner, "ann");
    EXPECT_EQ(quotas[0].queued, 50);
    EXPECT_EQ(quotas[0].running, std::nullopt);
    EXPECT_EQ(quotas[0].bytes, 9);
    EXPECT_EQ(quotas[0].weight, 0.5);
    EXPECT_EQ(quotas[1].bytes, 7);
    const auto audit = store_.list_audit(10, "").rows;
    ASSERT_EQ(audit.size(), 2U);
    EXPECT_EQ(audit[0].method + ' ' + audit[0].resource + ' ' + audit[0].outcome,
              "SetQuota owners/ann ok: queued 50, running unlimited, bytes 9, weight 0.5");
}

TEST_P(StoreConformance, UseOfAnOwnerIsWhatItsJobsWaitForRunAndKeep) {
    submit({"a", "b", "c"});
    submit({"c", "d"});  // the second job waits for "c" too
    const auto taken = claim("w1");
    ASSERT_EQ(taken.size(), 4U);
    EXPECT_EQ(store_.use_of("ann").queued, 5);
    EXPECT_EQ(store_.use_of("ann").running, 4);
    EXPECT_EQ(store_.use_of("bob").queued, 0);

    for (const ClaimedTask& task : taken) {
        const std::string sha256 = sha256_hex(is_of(task, "a") ? "one" : "another");
        const store::Completion done{task.held(), sha256, "", is_of(task, "a") ? 10 : 5};
        (void)store_.complete("w1", {&done, 1});
    }

    const store::OwnerUse use = store_.use_of("ann");
    EXPECT_EQ(use.queued, 0);
    EXPECT_EQ(use.running, 0);
    EXPECT_EQ(use.result_bytes, 15) << "each file once";
}

TEST_P(StoreConformance, UploadsAreAnOwnersUntilTheirFilesHaveGone) {
    store_.note_upload("ann", {"x", 10});
    store_.note_upload("ann", {"y", 20});
    store_.note_upload("ann", {"x", 10});
    store_.note_upload("bob", {"x", 10});
    const std::vector<std::string> gone{"x"};

    store_.forget_uploads("ann", gone);

    ASSERT_EQ(store_.list_uploads("ann").size(), 1U);
    EXPECT_EQ(store_.list_uploads("ann")[0].bytes, 20);
    EXPECT_EQ(store_.list_uploads("bob").size(), 1U);
}

TEST_P(StoreConformance, ClaimsStopAtTheOwnersRunningTasks) {
    submit({"a", "b", "c", "d", "e", "f", "g", "h"});
    store_.set_quota({"ann", std::nullopt, 6, std::nullopt, 1});
    store_.register_worker(worker("w1", "h"));
    int n = 0;
    const auto next = [&] {
        store::ClaimRequest request{"w1", {"gpu"}, "c" + std::to_string(n++), "", ""};
        request.running_limits = {{"ann", 6}};
        return store_.claim(request);
    };

    const auto first = next();
    EXPECT_EQ(first.size(), 4U);
    EXPECT_EQ(next().size(), 2U) << "six may run, four do";
    EXPECT_EQ(next().size(), 0U);
    EXPECT_EQ(store_.use_of("ann").running, 6);

    EXPECT_EQ(complete("w1", first[0].held()), store::LeaseResult::Ok);
    EXPECT_EQ(next().size(), 1U);
}

TEST_P(StoreConformance, TheOldestTaskIsClaimedFirstWhenItIsItsTurn) {
    submit({"old"}, -5, "k1");
    advance(10);
    submit({"a", "b"}, 7, "");
    advance(10);
    submit({"c"}, 3, "");
    store_.register_worker(worker("w1", "h"));
    store::ClaimRequest request{"w1", {"gpu"}, "c1", "", "ann"};
    EXPECT_EQ(seeds_of(store_.claim(request)), "a");

    request.claim_id = "c2";
    request.oldest_first = true;
    EXPECT_EQ(seeds_of(store_.claim(request)), "old");

    request.claim_id = "c3";
    EXPECT_EQ(seeds_of(store_.claim(request)), "b");
    request.claim_id = "c4";
    EXPECT_EQ(seeds_of(store_.claim(request)), "c");
}

TEST_P(StoreConformance, ADrainedHostClaimsNothingInAnyIncarnation) {
    submit({"a"});
    store_.register_worker(worker("w1", "n7"));
    store_.set_drain({DrainKind::Host, "n7", ""}, true, kOperator);
    store_.set_drain({DrainKind::Host, "n7", ""}, true, kOperator);
    store_.register_worker(worker("w2", "n7"));
    store_.register_worker(worker("w3", "n8"));

    for (const char* id : {"w1", "w2"}) {
        EXPECT_TRUE(store_.heartbeat(id, {}).draining) << id;
        EXPECT_TRUE(store_.claim({id, {"gpu"}, std::string("c") + id, "", ""}).empty()) << id;
    }
    EXPECT_FALSE(store_.heartbeat("w3", {}).draining);
    for (const store::WorkerInfo& info : store_.list_workers()) {
        EXPECT_EQ(info.drain, info.registered.host == "n7" ? "host n7" : "")
            << info.registered.worker_id;
    }
    ASSERT_EQ(store_.list_drains().size(), 1U);
    EXPECT_EQ(store_.list_drains()[0].host, "n7");

    store_.set_drain({DrainKind::Host, "n7", ""}, false, kOperator);

    EXPECT_EQ(store_.claim({"w2", {"gpu"}, "c9", "", ""}).size(), 1U);
    EXPECT_EQ(code_of([&] {
                  store_.set_drain({DrainKind::Host, "n7", ""}, false);
              }),
              ErrorCode::NotFound);
    EXPECT_EQ(store_.list_audit(1, "").rows.at(0).method, "UndrainWorker");
    EXPECT_EQ(store_.list_audit(1, "").rows.at(0).resource, "hosts/n7");
}

TEST_P(StoreConformance, ADrainedGpuIsFoundWhereItIs) {
    submit({"a"});
    store_.set_drain({DrainKind::Gpu, kGpu, ""}, true);
    EXPECT_EQ(store_.list_drains().at(0).host, "") << "nobody has it";

    store_.register_worker(worker("w1", "n7", {"GPU-bbbbbbbb", kGpu}));

    EXPECT_EQ(store_.list_drains().at(0).host, "n7");
    EXPECT_TRUE(store_.claim({"w1", {"gpu"}, "c1", "", ""}).empty());
    EXPECT_EQ(store_.list_workers().at(0).drain, "gpu " + kGpu);
    store_.set_drain({DrainKind::Gpu, kGpu, ""}, false);
    store_.set_drain({DrainKind::Gpu, kGpu, ""}, true);
    EXPECT_EQ(store_.list_drains().at(0).host, "n7") << "of a worker that was there before";
    store_.register_worker(worker("w2", "n7", {"GPU-bbbbbbbb"}));
    EXPECT_EQ(store_.claim({"w2", {"gpu"}, "c2", "", ""}).size(), 1U);
}

TEST_P(StoreConformance, AWorkerThatLeftIsShownAsGoneAndNotReaped) {
    store_.register_worker(worker("w1", "n7"));
    store_.remove_worker("w1");

    ASSERT_EQ(store_.list_workers().size(), 1U);
    EXPECT_TRUE(store_.list_workers()[0].gone);
    EXPECT_FALSE(store_.heartbeat("w1", {}).known);
    advance(1000);
    EXPECT_EQ(store_.reap().workers_lost, 0);
    advance(3600);
    EXPECT_TRUE(store_.list_workers().empty());
}

TEST_P(StoreConformance, AGpuOfALiveWorkerIsNotAnotherTokens) {
    for (const char* secret : {"a", "b"}) {
        (void)store_.add_token(token(secret));
    }
    for (const char* secret : {"c", "d"}) {
        (void)store_.add_token(token(secret, "here"));
    }
    store_.register_worker(worker("w1", "h", {kGpu}, id_of("a")));

    const auto takes = [&](const std::string& id, const std::string& secret) {
        store_.register_worker(worker(id, "h", {"GPU-bbbbbbbb", kGpu}, id_of(secret)));
    };
    EXPECT_EQ(code_of([&] { takes("w2", "b"); }), ErrorCode::Conflict);
    EXPECT_EQ(code_of([&] { takes("w3", "c"); }), ErrorCode::Conflict);
    EXPECT_NO_THROW(takes("w4", "a")) << "of the same token";

    (void)store_.revoke_token("a");  // as the launcher does when its agent has gone
    EXPECT_NO_THROW(takes("w3", "c"));
    EXPECT_NO_THROW(takes("w5", "d")) << "agents of one server share its GPUs";
    EXPECT_EQ(code_of([&] { takes("w2", "b"); }), ErrorCode::Conflict);
    store_.remove_worker("w3");
    store_.remove_worker("w5");
    EXPECT_NO_THROW(takes("w2", "b"));
}

TEST_P(StoreConformance, ATokenHasALiveWorkerOrNone) {
    store_.register_worker(worker("w1", "h", {}, "t1"));

    EXPECT_TRUE(store_.has_live_worker("t1", "w1"));
    EXPECT_TRUE(store_.has_live_worker("t1", ""));
    EXPECT_FALSE(store_.has_live_worker("t1", "w2"));
    EXPECT_FALSE(store_.has_live_worker("t2", ""));
    EXPECT_FALSE(store_.has_live_worker("t2", "w1"));
    store_.remove_worker("w1");
    EXPECT_FALSE(store_.has_live_worker("t1", ""));
}

TEST_P(StoreConformance, ARepeatedCallForATokenEndsTheOneThatItMadeBefore) {
    store::NewToken first = token("first"), second = token("second"), other = token("other");
    first.request = second.request = "root/1";
    other.request = "root/2";
    (void)store_.add_token(first);
    (void)store_.add_token(other);

    (void)store_.add_token(second);

    std::vector<std::string> names;
    for (const auto& entry : store_.live_tokens({}).entries) {
        names.push_back(entry.name);
    }
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{"other", "second"}));
}

}  // namespace kaname::conformance::store_owners_suite
