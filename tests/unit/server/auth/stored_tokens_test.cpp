// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/auth/tokens.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::auth::stored_tokens_test {
namespace {

/// Counts what it is asked, and answers unless it is away.
class CountingStore final : public store::AccessStore {
public:
    explicit CountingStore(store::AccessStore& real) : real_(real) {}

    store::LiveTokens live_tokens(std::span<const std::string> used) override {
        ++n_reads;
        if (is_away) {
            throw Error(ErrorCode::Unavailable, "the database does not answer");
        }
        return real_.live_tokens(used);
    }
    store::Token add_token(const store::NewToken& wanted, const store::Actor& actor) override {
        return real_.add_token(wanted, actor);
    }
    std::vector<store::Token> list_tokens() override { return real_.list_tokens(); }
    store::Token revoke_token(const std::string& id, const store::Actor& actor) override {
        return real_.revoke_token(id, actor);
    }
    void revoke_tokens_of(const std::string& name, const std::string& place) override {
        real_.revoke_tokens_of(name, place);
    }
    void record(const store::AuditEvent& event) override { real_.record(event); }
    store::Page<store::AuditEvent> list_audit(int limit, const std::string& token,
                                              const store::AuditFilter& filter) override {
        return real_.list_audit(limit, token, filter);
    }
    std::string job_owner(const std::string& id) override { return real_.job_owner(id); }
    std::optional<store::WorkerBinding> find_binding(const std::string& worker,
                                                     const std::string& token) override {
        return real_.find_binding(worker, token);
    }
    bool has_live_worker(const std::string& token, const std::string& worker) override {
        return real_.has_live_worker(token, worker);
    }
    std::vector<std::string> held_keys(const std::string& worker,
                                       std::span<const store::Held> tasks) override {
        return real_.held_keys(worker, tasks);
    }
    void note_result_uploads(const std::string& token,
                             std::span<const std::string> sha256) override {
        real_.note_result_uploads(token, sha256);
    }
    bool has_uploaded(const std::string& token, const std::string& sha256) override {
        return real_.has_uploaded(token, sha256);
    }

    int n_reads = 0;
    bool is_away = false;

private:
    store::AccessStore& real_;
};

class StoredTokensTest : public testing::Test {
protected:
    void add(const std::string& token, const std::string& name, double lifetime_s = 0) {
        (void)database_.add_token(
            {.sha256 = sha256_hex(token), .name = name, .role = "user", .lifetime_s = lifetime_s});
    }
    StoredTokensOptions options() {
        StoredTokensOptions options;
        options.clock = [this] { return now_s_; };
        return options;
    }

    double now_s_ = 1000;
    store::memory::MemoryStore database_{{}, [this] { return now_s_; }};
    CountingStore store_{database_};
    StoredTokens tokens_{store_, options()};
};

TEST_F(StoredTokensTest, KnownTokensCostAReadInTwoSeconds) {
    add("a", "ann");
    EXPECT_EQ(tokens_.find("a")->name, "ann");
    EXPECT_EQ(tokens_.find("a")->role, Role::User);
    EXPECT_EQ(tokens_.find("a")->token_id, store::token_id_of(sha256_hex("a")));
    for (int n = 0; n < 1000; ++n) {
        now_s_ += 0.01;
        EXPECT_TRUE(tokens_.find("a"));
    }
    EXPECT_LE(store_.n_reads, 6);
}

TEST_F(StoredTokensTest, RevokedAndExpiredTokensEndWithinFiveSeconds) {
    add("revoked", "ann");
    add("expiring", "bob", 10);
    EXPECT_TRUE(tokens_.find("revoked"));
    EXPECT_TRUE(tokens_.find("expiring"));
    (void)database_.revoke_token("ann");

    now_s_ += 2;

    EXPECT_FALSE(tokens_.find("revoked"));
    EXPECT_TRUE(tokens_.find("expiring"));
    now_s_ += 7.9;
    EXPECT_TRUE(tokens_.find("expiring"));
    now_s_ += 0.2;  // fresher than a read
    EXPECT_FALSE(tokens_.find("expiring"));
}

TEST_F(StoredTokensTest, ATokenMadeElsewhereIsKnownAtOnceAndGuessesCostFewReads) {
    EXPECT_FALSE(tokens_.find("new"));
    add("new", "ann");
    EXPECT_TRUE(tokens_.find("new"));

    store_.n_reads = 0;
    for (int n = 0; n < 1000; ++n) {
        now_s_ += 0.001;
        EXPECT_FALSE(tokens_.find("guess " + std::to_string(n)));
    }
    EXPECT_LE(store_.n_reads, 2 * StoredTokensOptions{}.early_looks + 1);
}

TEST_F(StoredTokensTest, ChangesMadeHereAreSeenAtOnce) {
    add("a", "ann");
    EXPECT_TRUE(tokens_.find("a"));
    (void)database_.revoke_token("ann");

    tokens_.changed();

    EXPECT_FALSE(tokens_.find("a"));
}

TEST_F(StoredTokensTest, AStoreThatIsAwayIsBelievedForFiveSecondsOnly) {
    add("a", "ann");
    EXPECT_TRUE(tokens_.find("a"));
    store_.is_away = true;
    now_s_ += 4.9;
    EXPECT_TRUE(tokens_.find("a"));

    now_s_ += 0.2;

    try {
        (void)tokens_.find("a");
        FAIL() << "believed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
    }
    store_.is_away = false;
    EXPECT_TRUE(tokens_.find("a"));
}

TEST_F(StoredTokensTest, UseIsToldToTheStore) {
    add("a", "ann");
    EXPECT_TRUE(tokens_.find("a"));
    now_s_ += 31;
    EXPECT_TRUE(tokens_.find("a"));

    EXPECT_EQ(database_.list_tokens().at(0).used_s, now_s_);
}

}  // namespace
}  // namespace kaname::auth::stored_tokens_test
