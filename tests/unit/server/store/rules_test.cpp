// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/rules.hpp"

#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::store {
namespace {

Submission good() {
    Submission submission;
    submission.principal = submission.owner = "ann";
    submission.request_id = "one";
    submission.items = {{sha256_hex("a"), Kind::Solve, "m", "solve", {}}};
    return submission;
}

std::vector<Violation> violations_of(const Submission& submission) {
    try {
        check_submission(submission);
    } catch (const ValidationError& error) {
        return error.violations();
    }
    return {};
}

TEST(Rules, PayloadHasAtMostFourKibibytes) {
    Submission submission = good();
    submission.items[0].payload = std::string(4096, 'x');
    EXPECT_TRUE(violations_of(submission).empty());
    submission.items[0].payload += 'x';

    const auto broken = violations_of(submission);

    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].field, "items[0].payload");
    EXPECT_EQ(broken[0].message, "must have at most 4096 bytes, got 4097");
}

TEST(Rules, AllBrokenFieldsAreNamedAtOnce) {
    Submission submission = good();
    submission.owner.clear();
    submission.items[0].content_key = "ABC";
    submission.items[0].pool.clear();

    std::set<std::string> fields;
    for (const Violation& broken : violations_of(submission)) {
        fields.insert(broken.field);
    }

    EXPECT_EQ(fields, (std::set<std::string>{"owner", "items[0].content_key", "items[0].pool"}));
}

TEST(Rules, KindsOfOneContentKeyMustAgree) {
    Submission submission = good();
    submission.items.push_back(submission.items[0]);
    submission.items[1].kind = Kind::Mesh;

    const auto broken = violations_of(submission);

    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].field, "items[1].kind");
}

TEST(Rules, BackoffDoublesUpToItsLimitAndAQuarterOfJitter) {
    const StoreOptions options;
    for (std::int64_t task = 0; task < 1000; ++task) {
        EXPECT_GE(backoff_s(options, 3, task), 8);
        EXPECT_LE(backoff_s(options, 3, task), 8 * 1.25);
        EXPECT_GE(backoff_s(options, 1000, task), 600);
        EXPECT_LE(backoff_s(options, 1000, task), 600 * 1.25);
    }
}

TEST(Rules, PageTokensBelongToTheirListing) {
    const std::string token = make_token("jobs/any/ann/", 42);

    EXPECT_EQ(parse_token("jobs/any/ann/", token, 0), 42);
    EXPECT_EQ(parse_token("jobs/any/ann/", "", 7), 7);
    EXPECT_THROW((void)parse_token("jobs/any/bob/", token, 0), Error);
    EXPECT_THROW((void)parse_token("jobs/any/ann/", "nonsense", 0), Error);
}

TEST(Rules, IdsAreRandomUuids) {
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = make_uuid();
        ASSERT_EQ(id.size(), 36U);
        EXPECT_EQ(id[14], '4');
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 1000U);
}

}  // namespace
}  // namespace kaname::store
