// SPDX-License-Identifier: BSD-3-Clause
// Tokens, what is bound to them, and the audit: what every Store does.
#include <algorithm>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/conformance/store/store_suite.hpp"

namespace kaname::conformance::store_access_suite {
namespace {

using store::Actor;

const Actor kAdmin{"root", "admin"};

store::NewToken token(const std::string& secret, const std::string& name,
                      const std::string& role = "worker") {
    return {.sha256 = sha256_hex(secret), .name = name, .role = role};
}

std::string id_of(const std::string& secret) {
    return store::token_id_of(sha256_hex(secret));
}

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

std::vector<std::string> live(store::Store& store) {
    std::vector<std::string> names;
    for (const auto& entry : store.live_tokens({}).entries) {
        names.push_back(entry.name);
    }
    std::ranges::sort(names);
    return names;
}

store::RegisteredWorker worker(const std::string& id, const std::string& token_id) {
    store::RegisteredWorker registered{id, "w"};
    registered.token_id = token_id;
    return registered;
}

}  // namespace

TEST_P(StoreConformance, TokensLiveUntilTheyAreRevokedOrExpire) {
    (void)store_.add_token(token("a", "ann", "user"));
    store::NewToken short_lived = token("b", "bob", "viewer");
    short_lived.lifetime_s = 60;
    const store::Token bob = store_.add_token(short_lived);
    EXPECT_NEAR(bob.expires_s - bob.created_s, 60, 1);
    EXPECT_EQ(live(store_), (std::vector<std::string>{"ann", "bob"}));

    advance(61);
    EXPECT_EQ(live(store_), std::vector<std::string>{"ann"});
    EXPECT_GT(store_.revoke_token("ann").revoked_s, 0);
    EXPECT_EQ(live(store_), std::vector<std::string>{});

    EXPECT_EQ(store_.add_token(token("a", "ann", "admin")).role, "user") << "it came back";
    EXPECT_EQ(live(store_), std::vector<std::string>{});
    EXPECT_EQ(store_.list_tokens().size(), 2U);
    EXPECT_EQ(code_of([&] { (void)store_.revoke_token("ann"); }), ErrorCode::NotFound);
}

TEST_P(StoreConformance, TokensAreRevokedByIdWhereTheNameIsThatOfSeveral) {
    (void)store_.add_token(token("a", "ann"));
    (void)store_.add_token(token("b", "ann"));

    EXPECT_EQ(code_of([&] { (void)store_.revoke_token("ann"); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(store_.revoke_token(id_of("a")).name, "ann");
    EXPECT_EQ(store_.revoke_token("ann").token_id, id_of("b"));
}

TEST_P(StoreConformance, TokensThatAServerMadeForItselfEndWithoutThoseOfOthers) {
    for (const char* place : {"here", "there"}) {
        store::NewToken own = token(place, "cli", "admin");
        own.place = place;
        (void)store_.add_token(own);
    }

    store_.revoke_tokens_of("cli", "here");

    ASSERT_EQ(store_.live_tokens({}).entries.size(), 1U);
    EXPECT_EQ(store_.live_tokens({}).entries[0].token_id, id_of("there"));
}

TEST_P(StoreConformance, UseOfTokensIsKept) {
    (void)store_.add_token(token("a", "ann"));
    EXPECT_EQ(store_.list_tokens().at(0).used_s, 0);
    const std::vector<std::string> used{id_of("a")};

    (void)store_.live_tokens(used);

    EXPECT_GT(store_.list_tokens().at(0).used_s, 0);
}

TEST_P(StoreConformance, AWorkerIsBoundToTheTokenThatRegisteredIt) {
    store_.register_worker(worker("w1", id_of("a")));
    store_.register_worker(worker("w1", id_of("a")));

    EXPECT_EQ(code_of([&] { store_.register_worker(worker("w1", id_of("b"))); }),
              ErrorCode::PermissionDenied);
    EXPECT_EQ(store_.find_binding("w1", id_of("b"))->token_id, id_of("a"));
    EXPECT_FALSE(store_.find_binding("unknown", id_of("a")));
    advance(1000);
    (void)store_.reap();
    EXPECT_EQ(code_of([&] { store_.register_worker(worker("w1", id_of("a"))); }),
              ErrorCode::Conflict);
}

TEST_P(StoreConformance, AWorkerOfAnEarlierVersionIsBoundToItsNextToken) {
    store_.register_worker(worker("w1", ""));

    EXPECT_EQ(store_.find_binding("w1", id_of("a"))->token_id, id_of("a"));
    EXPECT_EQ(store_.find_binding("w1", id_of("b"))->token_id, id_of("a"));
}

TEST_P(StoreConformance, ATokenOfOneWorkerRegistersTheNextOnlyWhenThatIsGone) {
    store::NewToken single = token("a", "local-1");
    single.single = true;
    (void)store_.add_token(single);
    store_.register_worker(worker("w1", id_of("a")));
    store_.register_worker(worker("w1", id_of("a")));

    EXPECT_EQ(code_of([&] { store_.register_worker(worker("w2", id_of("a"))); }),
              ErrorCode::PermissionDenied);
    advance(1000);
    (void)store_.reap();
    store_.register_worker(worker("w3", id_of("a")));
    store_.remove_worker("w3");
    store_.register_worker(worker("w4", id_of("a")));
}

TEST_P(StoreConformance, HeldKeysAreThoseOfTheWorkersOwnAttempts) {
    submit({"one"});
    const auto tasks = claim("w1");
    ASSERT_EQ(tasks.size(), 1U);
    const std::vector<store::Held> held{tasks[0].held()};
    const std::vector<store::Held> stale{{tasks[0].task_id, tasks[0].fence - 1}};

    EXPECT_EQ(store_.held_keys("w1", held), std::vector<std::string>{tasks[0].content_key});
    EXPECT_EQ(store_.held_keys("w2", held), std::vector<std::string>{});
    EXPECT_EQ(store_.held_keys("w1", stale), std::vector<std::string>{});
}

TEST_P(StoreConformance, ResultUploadsBelongToTheirToken) {
    const std::vector<std::string> files = {sha256_hex("second"), sha256_hex("file"),
                                            sha256_hex("file")};
    store_.note_result_uploads("a", {&files[1], 1});
    store_.note_result_uploads("a", files);

    EXPECT_TRUE(store_.has_uploaded("a", sha256_hex("file")));
    EXPECT_TRUE(store_.has_uploaded("a", sha256_hex("second")));
    EXPECT_FALSE(store_.has_uploaded("b", sha256_hex("file")));
    EXPECT_FALSE(store_.has_uploaded("a", sha256_hex("other")));
}

TEST_P(StoreConformance, TheAuditHasEveryChangeAndNothingThatWasNone) {
    const std::string job = submit({"one"}).job_id;
    EXPECT_EQ(store_.job_owner(job), "ann");
    EXPECT_EQ(code_of([&] { (void)store_.job_owner("none"); }), ErrorCode::NotFound);
    const Actor bob{"bob", "operator"};
    (void)store_.cancel_job(job, bob);
    (void)store_.cancel_job(job, bob);  // has ended
    (void)store_.retry_job(job, bob);
    (void)store_.retry_job(job, bob);  // is active
    EXPECT_EQ(code_of([&] { store_.delete_job(job, "", bob); }), ErrorCode::NotReady);
    (void)store_.cancel_job(job);  // nobody's: not kept
    store_.delete_job(job, "", bob);
    store_.register_worker({"w1", "w", "", "", 1, 1, {"GPU-1"}});
    store_.drain_worker("w1", true, bob);
    for (int n = 0; n < 4; ++n) {
        const store::GpuFault fault{"f" + std::to_string(n), "GPU-1", "XID 79"};
        (void)store_.record_gpu_faults("w1", {&fault, 1}, {"agent", "worker"});
    }
    store_.uncordon_gpu("GPU-1", bob);
    EXPECT_EQ(code_of([&] { store_.uncordon_gpu("GPU-1", bob); }), ErrorCode::NotFound);
    (void)store_.add_token(token("a", "eve", "user"), kAdmin);
    (void)store_.add_token(token("a", "eve", "user"), kAdmin);
    (void)store_.revoke_token("eve", kAdmin);
    store_.record({0, 0, "eve", "user", "CancelJob", "jobs/1", "refused: not hers"});

    std::vector<std::string> told;
    std::string next;
    do {
        const auto page = store_.list_audit(4, next);
        for (const store::AuditEvent& event : page.rows) {
            told.push_back(event.principal + ' ' + event.role + ' ' + event.method + ' ' +
                           event.resource + ": " + event.outcome);
            EXPECT_GT(event.at_s, 0);
        }
        next = page.next;
    } while (!next.empty());

    std::ranges::reverse(told);
    EXPECT_EQ(told, (std::vector<std::string>{
                        "bob operator CancelJob jobs/" + job + ": ok",
                        "bob operator RetryJob jobs/" + job + ": ok",
                        "bob operator DeleteJob jobs/" + job + ": ok, of \"ann\"",
                        "bob operator DrainWorker workers/w1: ok",
                        "agent worker CordonGpu gpus/GPU-1: ok",
                        "bob operator UncordonGpu gpus/GPU-1: ok",
                        "root admin MakeToken tokens/" + id_of("a") + " eve: ok, role user",
                        "root admin RevokeToken tokens/" + id_of("a") + " eve: ok",
                        "eve user CancelJob jobs/1: refused: not hers",
                    }));
    EXPECT_EQ(code_of([&] { (void)store_.list_audit(4, "7.guess"); }), ErrorCode::InvalidArgument);
}

}  // namespace kaname::conformance::store_access_suite
