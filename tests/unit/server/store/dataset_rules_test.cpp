// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/store/campaign_rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store::dataset_rules_test {
namespace {

using Which = std::vector<std::size_t>;

RetainedDataset one(const std::string& file, std::int64_t bytes, double age_s, bool free = true) {
    return {"job", file, bytes, age_s, free};
}

TEST(DatasetRules, TheOldestGoUntilTheRestIsNoMore) {
    const std::vector<RetainedDataset> all = {one("a", 100, 40), one("b", 50, 30), one("c", 50, 20),
                                              one("d", 10, 10)};
    EXPECT_EQ(what_goes(all, {0, 210}).which, Which{});
    EXPECT_EQ(what_goes(all, {0, 209}).which, Which{0});
    EXPECT_EQ(what_goes(all, {0, 60}).which, (Which{0, 1}));
    EXPECT_EQ(what_goes(all, {0, 60}).freed_bytes, 150);
    EXPECT_EQ(what_goes(all, {0, 0}).which, (Which{0, 1, 2, 3}));
    EXPECT_EQ(what_goes(all, {25, -1}).which, (Which{0, 1}));
    EXPECT_EQ(what_goes(all, {25, 20}).which, (Which{0, 1, 2}));
    EXPECT_EQ(what_goes(all, {}).which, Which{});
}

TEST(DatasetRules, WhatIsNeededStaysAndCounts) {
    const std::vector<RetainedDataset> all = {one("a", 100, 40, false), one("b", 50, 30),
                                              one("c", 50, 20)};
    EXPECT_EQ(what_goes(all, {1, -1}).which, (Which{1, 2}));
    EXPECT_EQ(what_goes(all, {0, 150}).which, Which{1});
    EXPECT_EQ(what_goes(all, {0, 10}).which, (Which{1, 2})) << "all that may go, though it is less";
}

TEST(DatasetRules, AFileOfSeveralDatasetsCountsOnceAndIsFreedWithTheLast) {
    const std::vector<RetainedDataset> all = {one("same", 100, 40), one("b", 50, 30),
                                              one("same", 100, 20)};
    const DatasetsToDelete going = what_goes(all, {0, 100});
    EXPECT_EQ(going.which, (Which{0, 1}));  // the first frees nothing, its file stays
    EXPECT_EQ(going.freed_bytes, 50);
    EXPECT_EQ(what_goes(all, {0, 99}).freed_bytes, 150);
}

TEST(DatasetRules, TagsAreASetOfSoMany) {
    EXPECT_EQ(changed_tags({"b"}, {{"c", "a", "b"}, {"b"}, {}}),
              (std::vector<std::string>{"a", "b", "c"}));
    DatasetChange many;
    for (std::size_t k = 0; k <= kMostTags; ++k) {
        many.add_tags.push_back("t" + std::to_string(k));
    }
    EXPECT_THROW((void)changed_tags({}, many), Error);
    many.add_tags.pop_back();
    EXPECT_EQ(changed_tags({}, many).size(), kMostTags);
}

TEST(DatasetRules, ListingsOfOtherFiltersHaveOtherNames) {
    std::vector<DatasetFilter> all(8);
    all[1].title = "a";
    all[2].title_prefix = "a";
    all[3].tags = {"a"};
    all[4].tags = {"a", ""};
    all[5].complete = false;
    all[6].place = GeoBox{1, 2, 3, 4};
    all[7].near = NearPoint{{1, 2}, 3};
    for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            EXPECT_NE(listing_name(all[a]), listing_name(all[b])) << a << ' ' << b;
        }
    }
}

TEST(DatasetRules, WhyItCannotBeDeletedIsSaid) {
    const auto told = [](const Dataset& dataset) {
        try {
            check_deletable(dataset, "");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Dataset dataset{.job_id = "x", .state = JobState::Done};
    EXPECT_EQ(told(dataset), "");
    dataset.campaign_id = "c";
    EXPECT_NE(told(dataset).find("campaign \"c\""), std::string::npos);
    dataset.state = JobState::Active;
    EXPECT_NE(told(dataset).find("active"), std::string::npos);
    dataset.pinned = true;
    EXPECT_NE(told(dataset).find("pinned"), std::string::npos);
}

}  // namespace
}  // namespace kaname::store::dataset_rules_test
