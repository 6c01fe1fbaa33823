// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/fair_share.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"

namespace kaname::scheduler::fair_share_test {
namespace {

class FairShareTest : public ::testing::Test {
protected:
    /// Lets a single worker run `n` packs of one task of `seconds` for whoever is next.
    std::map<std::string, int> serve(int n, const std::vector<std::string>& ready, double seconds) {
        std::map<std::string, int> served;
        for (int pack = 0; pack < n; ++pack) {
            const std::string owner = share.order(ready).front();
            ++served[owner];
            share.assigned(owner, 1);
            now_s += seconds;
            share.ended(owner, seconds);
        }
        return served;
    }

    double now_s = 0;
    FairShare share{{.half_life_s = 3600, .first_guess_s = 60}, [this] { return now_s; }};
};

TEST_F(FairShareTest, NobodyIsFirstWhenNobodyIsReady) {
    EXPECT_TRUE(share.order({}).empty());
}

TEST_F(FairShareTest, LeastServedOwnerComesFirst) {
    share.ended("ada", 30);
    share.ended("cyd", 10);

    EXPECT_EQ(share.order({"ada", "bob", "cyd"}), (std::vector<std::string>{"bob", "cyd", "ada"}));
}

TEST_F(FairShareTest, OwnersOfEqualWeightAreServedAlike) {
    const auto served = serve(100, {"ada", "bob"}, 30);

    EXPECT_EQ(served.at("ada"), 50);
    EXPECT_EQ(served.at("bob"), 50);
}

TEST_F(FairShareTest, TwiceTheWeightGivesTwiceTheTasks) {
    share.set_weight("bob", 2);

    const auto served = serve(300, {"ada", "bob"}, 10);

    EXPECT_NEAR(served.at("ada"), 100, 3);
    EXPECT_NEAR(served.at("bob"), 200, 3);
}

TEST_F(FairShareTest, SmallOwnerIsServedAtOnceAfterAnothersLongCampaign) {
    serve(1000, {"campaign"}, 60);

    const auto served = serve(5, {"campaign", "small"}, 60);

    EXPECT_EQ(served.at("small"), 5);
    EXPECT_EQ(served.count("campaign"), 0U);
}

TEST_F(FairShareTest, CampaignIsNotStarvedByAStreamOfSmallJobs) {
    serve(1000, {"campaign"}, 60);

    const auto served = serve(400, {"campaign", "small"}, 60);

    EXPECT_GT(served.at("campaign"), 100);
}

TEST_F(FairShareTest, ManyIdleWorkersAreSharedBeforeAnyTaskEnds) {
    std::map<std::string, int> served;
    for (int worker = 0; worker < 10; ++worker) {
        const std::string owner = share.order({"ada", "bob"}).front();
        ++served[owner];
        share.assigned(owner, 4);
    }

    EXPECT_EQ(served.at("ada"), 5);
    EXPECT_EQ(served.at("bob"), 5);
}

TEST_F(FairShareTest, UseHalvesInAHalfLife) {
    serve(1, {"ada"}, 100);
    const double before = share.use_s("ada");

    now_s += 3600;

    EXPECT_NEAR(share.use_s("ada"), before / 2, 1e-9 * before);
}

TEST_F(FairShareTest, ChargeOfAnEndedTaskIsItsRealDuration) {
    share.assigned("ada", 1);

    share.ended("ada", 7);

    EXPECT_DOUBLE_EQ(share.use_s("ada"), 7);
}

TEST_F(FairShareTest, TaskHandedOutByAnEarlierServerIsChargedOnce) {
    share.ended("ada", 7);

    EXPECT_DOUBLE_EQ(share.use_s("ada"), 7);
}

TEST_F(FairShareTest, ClockThatWentWrongNeverMakesUseNegative) {
    share.assigned("ada", 1);

    share.ended("ada", -100);

    EXPECT_EQ(share.use_s("ada"), 0);
}

TEST_F(FairShareTest, AnOwnerOfLowWeightIsServedWithinABoundedNumberOfClaims) {
    share.set_weight("heavy", 10);
    share.set_weight("light", 0.1);
    serve(500, {"heavy"}, 10);  // and so all the time
    int longest = 0, waited = 0;

    for (int pack = 0; pack < 2000; ++pack) {
        waited = serve(1, {"heavy", "light"}, 10).contains("light") ? 0 : waited + 1;
        longest = std::max(longest, waited);
    }

    EXPECT_LE(longest, 101) << "a hundredth of the share is every hundred-and-first pack";
    EXPECT_GT(longest, 50) << "and not much more";
}

TEST_F(FairShareTest, TasksThatTakeNoTimeAreSharedToo) {
    std::map<std::string, int> served;
    for (int pack = 0; pack < 100; ++pack) {
        const std::string owner = share.order({"ada", "bob"}).front();
        share.claimed(owner);
        share.assigned(owner, 1);
        share.ended(owner, 0);
        ++served[owner];
    }

    EXPECT_EQ(served["ada"], 50);
    EXPECT_EQ(served["bob"], 50);
}

TEST_F(FairShareTest, EveryEighthClaimIsForTheOldestTask) {
    std::string turns;
    for (int claim = 0; claim < 16; ++claim) {
        turns += share.oldest_next("ada") ? 'o' : '.';
        share.claimed("ada");
        EXPECT_FALSE(share.oldest_next("bob"));
    }

    EXPECT_EQ(turns, ".......o.......o");
}

TEST_F(FairShareTest, RefusesWeightZero) {
    EXPECT_THROW(share.set_weight("ada", 0), Error);
}

}  // namespace
}  // namespace kaname::scheduler::fair_share_test
