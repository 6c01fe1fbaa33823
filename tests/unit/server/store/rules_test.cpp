// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/rules.hpp"

#include <set>

#include <gtest/gtest.h>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store::rules_test {
namespace {

Submission good() {
    Submission submission;
    submission.principal = submission.owner = "ann";
    submission.request_id = "one";
    submission.items = {{sha256_hex("a"), "solve", "m", "solve"}};
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

TEST(Rules, VerbsOfOneContentKeyMustAgree) {
    Submission submission = good();
    submission.items.push_back(submission.items[0]);
    submission.items[1].verb = "mesh";

    const auto broken = violations_of(submission);

    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].field, "items[1].verb");
}

TEST(Rules, VerbsAreWords) {
    for (const char* verb : {"", "Solve", "2d", "a_b", "abcdefghijklmnopqrstuvwxyzabcdefg"}) {
        Submission submission = good();
        submission.items[0].verb = verb;
        const auto broken = violations_of(submission);
        ASSERT_EQ(broken.size(), 1U) << verb;
        EXPECT_EQ(broken[0].field, "items[0].verb");
    }
}

/// Items by letter; `edges` "b:a" says that b needs a, "c<a" that c gathers it.
Submission graph(const std::string& letters, const std::vector<std::string>& edges) {
    Submission submission = good();
    submission.items.clear();
    for (const char letter : letters) {
        submission.items.push_back({sha256_hex(std::string(1, letter)), "run", "", "cpu"});
    }
    for (const std::string& edge : edges) {
        WantedItem& item = submission.items[letters.find(edge[0])];
        (edge[1] == ':' ? item.needs : item.gathers).push_back(sha256_hex(edge.substr(2)));
    }
    return submission;
}

TEST(Rules, LevelsGrowAlongTheGraph) {
    const Submission diamond = graph("abcde", {"b:a", "c:a", "d:c", "e<b", "e<d"});

    EXPECT_TRUE(violations_of(diamond).empty());
    EXPECT_EQ(levels_of(diamond.items), (std::vector<int>{0, 1, 1, 2, 3}));
    const Submission backwards = graph("cba", {"b:a", "c:b"});
    EXPECT_EQ(levels_of(backwards.items), (std::vector<int>{2, 1, 0}));
}

TEST(Rules, AGraphWithACircleIsRefused) {
    const auto broken = violations_of(graph("abcd", {"b:a", "b:c", "c:b", "d:c"}));

    ASSERT_EQ(broken.size(), 3U);  // and what waits for the circle
    EXPECT_EQ(broken[0].field, "items[1].needs");
    EXPECT_EQ(broken[0].message, "must not come back to the item itself");
}

TEST(Rules, EdgesNameItemsOfTheJobOnceAndNoGatherer) {
    EXPECT_EQ(violations_of(graph("a", {"a:x"})).at(0).field, "items[0].needs");
    EXPECT_EQ(violations_of(graph("a", {"a<x"})).at(0).field, "items[0].gathers");
    EXPECT_EQ(violations_of(graph("ab", {"b:a", "b<a"})).at(0).field, "items[1].gathers");
    EXPECT_EQ(violations_of(graph("abc", {"b<a", "c:b"})).at(0).message,
              "must not name an item that gathers, got \"" + sha256_hex("b") + '"');
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
}  // namespace kaname::store::rules_test
