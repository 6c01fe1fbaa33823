// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/filter.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::service::filter_test {
namespace {

TEST(Filter, TakesStatesAsAnswersAndAsCommandsNameThem) {
    for (const char* name : {"ACTIVE", "active"}) {
        const std::string text = std::string("state = \"") + name + "\"";
        EXPECT_EQ(parse_filter(text).state, store::JobState::Active);
        EXPECT_EQ(parse_campaign_filter(text).state, store::CampaignState::Active);
        EXPECT_EQ(parse_member_filter(text), store::MemberState::Active);
    }
}

TEST(Filter, TitlesAreTakenToTheLetter) {
    EXPECT_EQ(parse_filter("title = \"ACTIVE\" AND owner = \"Ann\"").name, "ACTIVE");
    EXPECT_EQ(parse_filter("owner = \"Ann\"").owner, "Ann");
}

TEST(Filter, IdsAreWholeOrBegin) {
    const std::string id = "1a2b3c4d-0000-4000-8000-00000000000f";
    EXPECT_EQ(parse_filter("id = \"1a2b*\" AND owner = \"Ann\"").id_prefix, "1a2b");
    EXPECT_EQ(parse_filter("id = \"" + id + '"').id_prefix, id);
    EXPECT_EQ(parse_campaign_filter("id = \"" + id + "*\"").id_prefix, id);
    for (const char* value : {"1a2b", "*", "1A2b*", "1a*b*", "1a2g*", "", "%*"}) {
        EXPECT_THROW((void)parse_filter(std::string("id = \"") + value + '"'), ValidationError)
            << value;
    }
    EXPECT_THROW((void)parse_campaign_filter("id = \"" + id + "0*\""), ValidationError);
}

TEST(Filter, AnUnknownStateIsRefusedWithThoseThatAre) {
    try {
        (void)parse_filter("state = \"RUNNING\"");
        ADD_FAILURE() << "is read";
    } catch (const ValidationError& error) {
        EXPECT_NE(error.violations().front().message.find(
                      "state must be active, done, failed or cancelled"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::service::filter_test
