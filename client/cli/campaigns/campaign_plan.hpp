// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/text.hpp"
#include "client/lib/client.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/campaign/expand.hpp"

namespace kaname::cli {

/// CampaignPlan estimates the cost of a campaign, before anything of it is computed.
struct CampaignPlan {
    struct Of {
        std::int64_t sources = 0, dof = 0;
        double core_hours = 0.0;  ///< of what no member before it computes
        double bytes = 0.0;       ///< of its dataset
        bool asked = false;       ///< the estimate is its own, not one of the same mesh
    };
    v1::CampaignCost cost;
    std::vector<Of> members;  ///< as in the expansion
    std::int64_t least_dof = 0;
    double gpu_bytes = 0.0, solve_bytes = 0.0;  ///< of the largest member
    std::size_t preflights = 0;
    std::vector<std::string> warnings;  ///< each once
};

/// Estimates are asked for once for each Request::estimate_key, and of each mesh at most this many
/// times: the other members of the mesh take the nearest one's.
inline constexpr std::size_t kPreflightsPerMesh = 8;

/// Asks for what an estimate says of a request; throws ValidationError.
using Ask = std::function<v1::Estimate(const google::protobuf::Message& specification)>;

/// Counts of distinct tasks by their content keys, and their hours and bytes. `at_once` calls of
/// `ask` run at a time. Members that `ask` refuses join expansion.skipped when `skip_bad` is set;
/// else throws ValidationError, as request::expand_campaign.
[[nodiscard]] CampaignPlan plan_campaign(
    request::Expansion& expansion, bool skip_bad, int at_once, const Ask& ask,
    const std::function<void(std::size_t done, std::size_t all)>& on_estimate = {});

/// Throws ValidationError with the figures when the plan goes beyond the campaign's limits.
void check_limits(const v1::CampaignLimits& limits, const v1::CampaignCost& cost);

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
