// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/campaigns/campaign_plan.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "client/cli/campaigns/campaign.hpp"
#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/kinds.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli::campaign_plan_test {
namespace {

/// Two sources over one mesh, at the example that programs are tested with.
class CampaignPlanTest : public ::testing::Test {
protected:
    request::Expansion expand(const std::string& vary, const std::string& limits = "") {
        const std::filesystem::path file = folder_.path() / "campaign.yaml";
        write_file(file, "schema: kaname.v1.Campaign\nname: many\nbase: " +
                             std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/tiny.yaml\n" +
                             limits + "vary:\n" + vary);
        return request::expand_campaign(file.string(), request::built_in_kinds());
    }
    /// 60 s to mesh, 120 s to set up, 240 s for each pack, 12 s to package, on 10 threads.
    Ask ask() {
        return [this](const google::protobuf::Message& specification) {
            ++asked_;
            const auto& batch = dynamic_cast<const v1::GreensBatch&>(specification);
            if (batch.fault().plane().dip_deg() > 80.0) {
                throw ValidationError(std::vector<Violation>{{"fault", "comes out of the ground"}});
            }
            v1::Estimate estimate;
            estimate.set_dof(batch.fault().plane().dip_deg() > 50.0 ? 2000 : 1000);
            estimate.set_mesh_s(60.0);
            estimate.set_setup_s(120.0);
            estimate.set_each_pack_s(240.0);
            estimate.set_package_s(12.0);
            estimate.set_dataset_bytes(500.0);
            estimate.set_threads(10);
            return estimate;
        };
    }

    TemporaryFolder folder_;
    std::atomic<int> asked_ = 0;
};

constexpr const char* kEta =
    "  - {name: eta, key: 'structure.materials[mantle].viscosity_pa_s', values: [1e18, 1e19, "
    "1e20]}\n";
constexpr const char* kDip = "  - {name: dip, key: fault.plane.dip_deg, values: [45, 60]}\n";

TEST_F(CampaignPlanTest, MembersOfOneMeshShareItAndItsEstimate) {
    request::Expansion expansion = expand(std::string(kDip) + kEta);

    const CampaignPlan plan = plan_campaign(expansion, false, 2, ask());

    // Steps are given, so that viscosities take equally long: one estimate for each mesh.
    EXPECT_EQ(asked_, 2);
    EXPECT_EQ(plan.preflights, 2U);
    EXPECT_EQ(plan.cost.jobs(), 6);
    EXPECT_EQ(plan.cost.sources(), 12);
    EXPECT_EQ(plan.cost.stages(), 2 + 6 * 3);
    EXPECT_EQ(plan.cost.shared_stages(), 4);
    EXPECT_EQ(plan.least_dof, 1000);
    EXPECT_EQ(plan.cost.largest_dof(), 2000);
    EXPECT_DOUBLE_EQ(plan.cost.bytes(), 6 * 500.0);
    const double seconds = 2 * 60.0 + 6 * (120.0 + 240.0 + 12.0);
    EXPECT_NEAR(plan.cost.core_hours(), seconds * 10 / 3600, 1e-9);
}

TEST_F(CampaignPlanTest, StationsOfOthersCostNoSolve) {
    request::Expansion expansion =
        expand("  - {name: lon, key: 'stations.list[W10].lon_deg', values: [134.89, 134.88]}\n");

    const CampaignPlan plan = plan_campaign(expansion, false, 1, ask());

    EXPECT_EQ(plan.cost.stages(), 1 + 2 + 2);
    EXPECT_EQ(plan.cost.shared_stages(), 3);
    EXPECT_NEAR(plan.members[1].core_hours, 12.0 * 10 / 3600, 1e-9);
}

TEST_F(CampaignPlanTest, ManyTimesOfOneMeshAreAskedForAFewTimes) {
    request::Expansion expansion =
        expand("  - {name: end, key: time.end_years, range: {from: 4, to: 40, step: 1}}\n");

    const CampaignPlan plan = plan_campaign(expansion, false, 3, ask());

    EXPECT_EQ(plan.cost.jobs(), 37);
    EXPECT_EQ(asked_, static_cast<int>(kPreflightsPerMesh));
    EXPECT_TRUE(plan.members.front().asked);
    EXPECT_TRUE(plan.members.back().asked);
}

TEST_F(CampaignPlanTest, WhatAnEstimateRefusesIsNamedOrLeftOut) {
    const std::string vary =
        "  - {name: dip, key: fault.plane.dip_deg, values: [45, 85]}\n" + std::string(kEta);
    request::Expansion expansion = expand(vary);
    try {
        (void)plan_campaign(expansion, false, 1, ask());
        FAIL();
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 1U);
        EXPECT_EQ(error.violations()[0].field,
                  "members dip=85,eta=1e18 and dip=85,eta=1e19 and dip=85,eta=1e20: fault");
    }
    request::Expansion again = expand(vary);

    const CampaignPlan plan = plan_campaign(again, true, 1, ask());

    EXPECT_EQ(plan.cost.jobs(), 3);
    EXPECT_EQ(again.members.size(), 3U);
    EXPECT_EQ(again.skipped.size(), 3U);
}

TEST_F(CampaignPlanTest, BeyondItsLimitsItIsRefusedWithTheFigures) {
    request::Expansion expansion = expand(kEta, "limits: {hours: 3, bytes: 1000}\n");
    const CampaignPlan plan = plan_campaign(expansion, false, 1, ask());
    try {
        check_limits(expansion.limits, plan.cost);
        FAIL();
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 2U);
        EXPECT_EQ(error.violations()[0].message,
                  "must hold the plan, which takes 3.267 core-hours, got 3");
        EXPECT_EQ(error.violations()[1].message,
                  "must hold the plan, whose datasets take 1.5 KiB, got 1000 B");
    }
    expansion.limits.set_hours(4);
    expansion.limits.set_bytes(2000);
    EXPECT_NO_THROW(check_limits(expansion.limits, plan.cost));
}

}  // namespace
}  // namespace kaname::cli::campaign_plan_test
