// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/cli/common/commands.hpp"
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

}  // namespace kaname::cli
