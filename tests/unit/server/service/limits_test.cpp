// SPDX-License-Identifier: BSD-3-Clause
// Places for open calls: nobody takes those of the others, whatever stands still is ended.
#include "server/service/admin/limits.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::service::limits_test {
namespace {

constexpr Limit kFew{"uploads", 3, 2, 6};

class LimitsTest : public testing::Test {
protected:
    void take(const std::string& principal, std::chrono::seconds at = {}) {
        places_.push_back(limits_.take(kFew, principal, "", end_of(principal), start_ + at));
    }
    Limits::End end_of(const std::string& principal) {
        return [this, principal](const std::string& why) {
            ended_.push_back(principal);
            why_ = why;
        };
    }
    std::string refusal_of(const std::string& principal, std::chrono::seconds at = {}) {
        try {
            take(principal, at);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Exhausted);
            return error.what();
        }
        return "";
    }

    Limits limits_;
    const Limits::Clock::time_point start_ = Limits::Clock::now();
    std::vector<Limits::Place> places_;
    std::vector<std::string> ended_;
    std::string why_;
};

TEST_F(LimitsTest, EachPrincipalHasSoMany) {
    for (int k = 0; k < 3; ++k) {
        take("mal");
    }

    EXPECT_EQ(refusal_of("mal"),
              "uploads: at most 3 may be open at a time by \"mal\"; end some, or call again later");
    EXPECT_EQ(refusal_of("ann"), "");
}

TEST_F(LimitsTest, WhoeverHasFewerGetsTheStillestPlaceOfWhoHasMost) {
    for (int k = 0; k < 3; ++k) {
        take("mal");
        take("eve", std::chrono::seconds(1));
    }

    take("ann", std::chrono::seconds(10));

    EXPECT_EQ(ended_.size(), 1U);
    EXPECT_EQ(why_, "uploads: all places are taken, and others wait; call again later");
    EXPECT_EQ(refusal_of("mal", std::chrono::seconds(10)),
              ended_[0] == "mal" ? "uploads: at most 6 may be open at a time in all; end some, or "
                                   "call again later"
                                 : "uploads: at most 3 may be open at a time by \"mal\"; end some, "
                                   "or call again later");
}

TEST_F(LimitsTest, WhatMovesKeepsItsPlace) {
    for (int k = 0; k < 3; ++k) {
        take("mal", std::chrono::seconds(9));
        take("eve", std::chrono::seconds(9));
    }

    EXPECT_NE(refusal_of("ann", std::chrono::seconds(10)), "");
    EXPECT_TRUE(ended_.empty());
}

TEST_F(LimitsTest, WhoeverWaitsForItsCallerForTooLongIsEnded) {
    take("mal");
    take("ann");
    limits_.end_stalled(std::chrono::milliseconds(60000), start_ + std::chrono::hours(1));
    EXPECT_TRUE(ended_.empty()) << "it works, nobody waits";
    const bool read = places_[0].waiting([&] {
        limits_.end_stalled(std::chrono::milliseconds(60000), start_ + std::chrono::seconds(50));
        EXPECT_TRUE(ended_.empty());
        limits_.end_stalled(std::chrono::milliseconds(60000), start_ + std::chrono::seconds(70));
        return true;
    });

    EXPECT_TRUE(read);
    EXPECT_EQ(ended_, std::vector<std::string>{"mal"});
    EXPECT_EQ(why_, "nothing was sent for 60 s; go on at the offset that is there");
}

TEST_F(LimitsTest, APlaceIsFreeWhenItsCallHasEnded) {
    for (int k = 0; k < 3; ++k) {
        take("mal");
    }
    places_.pop_back();

    EXPECT_EQ(refusal_of("mal"), "");
    places_.clear();
    const auto first = limits_.take(kFew, "ann", "peer");
    const auto second = limits_.take(kFew, "bob", "peer");
    EXPECT_THROW((void)limits_.take(kFew, "eve", "peer"), Error) << "of one connection";
}

}  // namespace
}  // namespace kaname::service::limits_test
