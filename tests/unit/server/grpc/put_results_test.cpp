// SPDX-License-Identifier: BSD-3-Clause
// Several results in one stream.
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::put_results_test {
namespace {

using grpc::StatusCode;

class PutResults : public ApiTest {
protected:
    PutResults() { register_worker(); }

    PutReply put(const Sent& results) { return put_results(agent_, worker_, results); }
    bool has(const std::string& text) {
        return store_.has_uploaded(tokens_.find(agent_)->token_id, sha256_hex(text)) &&
               artifacts_.exists(sha256_hex(text));
    }
};

TEST_F(PutResults, AreAllThereWhenTheAnswerComes) {
    const std::string first = "the first result", second = "the second, of another length";

    const auto [status, reply] = put({{first, first}, {second, second}, {"", ""}});

    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(has(first));
    EXPECT_TRUE(has(second));
    EXPECT_TRUE(has(""));
    ASSERT_EQ(reply.artifacts_size(), 3);
    EXPECT_EQ(reply.artifacts(1).sha256(), sha256_hex(second));
    EXPECT_EQ(reply.artifacts(1).bytes(), 29);
    EXPECT_EQ(artifacts_.read(sha256_hex(second), 4, 6).size(), 6U);
}

TEST_F(PutResults, NoneIsThereWhereOneIsWrong) {
    const auto refused = [&](const std::string& named, const std::string& sent) {
        const auto [status, reply] = put({{"a good one", "a good one"}, {named, sent}});
        EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << named << ' ' << sent;
        EXPECT_FALSE(store_.has_uploaded(tokens_.find(agent_)->token_id, sha256_hex("a good one")));
        EXPECT_FALSE(has(named));
    };

    refused("some bytes", "other byte");
    refused("some bytes", "some");
    refused("some bytes", "some bytes and more");
}

TEST_F(PutResults, WhatIsThereIsPutOnlyByWhoHasItsBytes) {
    (void)put_text(artifacts_, "there already");

    EXPECT_EQ(put({{"there already", "there alre@dy"}}).status.error_code(),
              StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(put({{"there already", ""}}).status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_FALSE(has("there already"));
    EXPECT_TRUE(put({{"there already", "there already"}}).status.ok());
    EXPECT_TRUE(has("there already"));
}

TEST_F(PutResults, ABrokenUploadIsWrittenToItsEndAndItsBeginningIsCompared) {
    const std::string whole = "a result that came in two pieces";
    artifacts_.begin_put(sha256_hex(whole), whole.size())
        ->write(0, std::as_bytes(std::span(whole)).first(12));

    EXPECT_EQ(put({{whole, "A RESULT THAt came in two pieces"}}).status.error_code(),
              StatusCode::INVALID_ARGUMENT);
    EXPECT_TRUE(put({{whole, whole}}).status.ok());
    EXPECT_TRUE(has(whole));
}

TEST_F(PutResults, EqualOnesAreOneFile) {
    const Sent equal(10, {"the same", "the same"});

    const auto [status, reply] = put(equal);

    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(reply.artifacts_size(), 10);
    EXPECT_TRUE(has("the same"));
}

TEST_F(PutResults, AreBoundedInNumberAndOfANamedWorker) {
    Sent many;
    for (int k = 0; k < 65; ++k) {
        many.emplace_back(std::to_string(k), std::to_string(k));
    }

    EXPECT_EQ(put(many).status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(put({}).status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(put_results(agent_, "", {{"a", "a"}}).status.error_code(),
              StatusCode::INVALID_ARGUMENT);
    many.pop_back();
    EXPECT_TRUE(put(many).status.ok());
}

}  // namespace
}  // namespace kaname::service::put_results_test
