// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "client/cli/campaigns/campaign_plan.hpp"
#include "client/cli/common/text.hpp"
#include "client/lib/client.hpp"

namespace kaname::cli {

/// The uuid of a campaign named by a uuid, a beginning of one (4 characters or more), the title of
/// the newest such campaign, or "latest". Throws NotFound, or InvalidArgument for a beginning of
/// several.
[[nodiscard]] std::string resolve_campaign(client::Client& client, const std::string& text);

/// "3 of 6 members done, 1 failed"
[[nodiscard]] std::string counts_text(const v1::CampaignCounts& counts);
/// "3 x 2": crossed axes, those that vary together once.
[[nodiscard]] std::string shape_text(const std::vector<v1::CampaignAxis>& axes);

[[nodiscard]] nlohmann::json campaign_json(const v1::Campaign& campaign);
[[nodiscard]] nlohmann::json member_json(const v1::CampaignMember& member);
/// `members` too where it is set.
[[nodiscard]] nlohmann::json plan_json(const request::Expansion& expansion,
                                       const CampaignPlan& plan, bool members);

[[nodiscard]] Rows rows_of(const v1::CampaignCost& cost);
[[nodiscard]] Rows rows_of(const v1::Campaign& campaign);
/// As `plan` prints it, for people.
[[nodiscard]] std::string plan_text(const request::Expansion& expansion, const CampaignPlan& plan,
                                    bool members);

/// Exit code of a command that waited for the campaign's end.
[[nodiscard]] int exit_code_of(const v1::Campaign& campaign);

}  // namespace kaname::cli
