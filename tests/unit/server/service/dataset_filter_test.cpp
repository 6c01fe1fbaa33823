// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gtest/gtest.h>

#include "server/service/datasets/filter.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service::dataset_filter_test {
namespace {

store::DatasetFilter filter_of(const std::string& text) {
    v1::ListDatasetsRequest request;
    request.set_filter(text);
    return dataset_filter(request);
}

std::string refusal(const v1::ListDatasetsRequest& request) {
    try {
        (void)dataset_filter(request);
    } catch (const ValidationError& error) {
        const Violation& first = error.violations().front();
        return first.field + ": " + first.message;
    }
    return "it was taken";
}

std::string refusal(const std::string& text) {
    v1::ListDatasetsRequest request;
    request.set_filter(text);
    return refusal(request);
}

TEST(DatasetFilter, SaysWhatIsWanted) {
    const std::string id = "00000000-0000-4000-8000-00000000000a";
    const auto filter = filter_of(
        "name = \"nankai*\" AND owner=\"ann\" AND campaign = \"campaigns/" + id +
        "\" AND tag = \"a\" AND tag = \"b\" AND fault = \"plane\" AND physics = \"elastic\" "
        "AND structure = \"ab\" AND station = \"0001\" AND complete = true AND pinned = \"false\" "
        "AND made_at > \"2026-01-31\" AND made_at < \"2026-02-01T12:00:00Z\"");
    EXPECT_EQ(filter.title, "");
    EXPECT_EQ(filter.title_prefix, "nankai");
    EXPECT_EQ(filter.owner, "ann");
    EXPECT_EQ(filter.campaign_id, id);
    EXPECT_EQ(filter.tags, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(filter.faults, std::vector<std::string>{"plane"});
    EXPECT_EQ(filter.physics, "elastic");
    EXPECT_EQ(filter.structure_sha256, "ab");
    EXPECT_EQ(filter.stations, std::vector<std::string>{"0001"});
    EXPECT_EQ(filter.complete, true);
    EXPECT_EQ(filter.pinned, false);
    EXPECT_EQ(filter.made_after_s, 1769817600);
    EXPECT_EQ(filter.made_before_s, 1769817600 + 86400 + 43200);
    EXPECT_EQ(filter_of("name = \"nankai\"").title, "nankai");
    EXPECT_EQ(filter_of("").complete, std::nullopt);
}

TEST(DatasetFilter, WhatIsWrongIsToldWithItsPlace) {
    for (const auto& [text, told] : std::vector<std::pair<std::string, std::string>>{
             {"colour = \"red\"", "expected name, owner, campaign"},
             {"name < \"a\"", "expected = at character 6"},
             {"name = \"a*b\"", "one *, at its end at character 8"},
             {"name = \"a\" AND name = \"b\"", "given twice at character 23"},
             {"tag = \"\"", "must not be empty"},
             {std::string("name = \"a\0b\"", 12),
              "must have no NUL at character 10 of 'name = \"a\\u0000b\"'"},
             {"complete = maybe", "must be true or false at character 12"},
             {"made_at = \"2026-01-31\"", "compared by < or >"},
             {"made_at > \"2026-02-30\"", "must be like 2026-01-31"},
             {"made_at > \"2026-01-31T25:00:00Z\"", "must be like 2026-01-31"},
             {"made_at > \"2026-01-31T12:00:00\"", "must be like 2026-01-31"},
             {"campaign = \"latest\"", "campaigns/<uuid>"},
             {"pinned = true complete = true", "expected AND"}}) {
        const std::string why = refusal(text);
        EXPECT_EQ(why.find("filter: must be like"), 0) << why;
        EXPECT_NE(why.find(told), std::string::npos) << why;
    }
}

TEST(DatasetFilter, PlacesAreDegreesAndMayLieAcrossTheDateLine) {
    v1::ListDatasetsRequest request;
    v1::GeoBox& place = *request.mutable_place();
    place.set_west_deg(170);
    place.set_east_deg(-170);
    place.set_north_deg(10);
    EXPECT_EQ(dataset_filter(request).place, (GeoBox{170, 0, 190, 10}));
    place.set_south_deg(11);
    EXPECT_EQ(refusal(request), "place.north_deg: must not be below place.south_deg");
    place.set_south_deg(-91);
    EXPECT_EQ(refusal(request), "place.south_deg: must be within -90..90, got -91");
    request.clear_place();
    request.mutable_near()->set_lon_deg(135);
    request.mutable_near()->set_distance_m(5000);
    EXPECT_EQ(dataset_filter(request).near->distance_km, 5);
    request.mutable_near()->set_distance_m(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(refusal(request).find("near.distance_m: must be within"), 0);
}

TEST(DatasetFilter, TagsAreWords) {
    for (const char* fine : {"a", "paper-2026", "v1.2", "x:y", "A_b", "0"}) {
        EXPECT_EQ(trouble_of_tag(fine), "") << fine;
    }
    for (const std::string& wrong : {std::string(), std::string("-a"), std::string("a b"),
                                     std::string("a,b"), std::string("ä"), std::string(64, 'a')}) {
        EXPECT_NE(trouble_of_tag(wrong), "") << wrong;
    }
}

}  // namespace
}  // namespace kaname::service::dataset_filter_test
