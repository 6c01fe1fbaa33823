// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/campaigns_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// A campaign, or what is added to one, as it came over the wire.
struct CampaignIntake {
    v1::CreateCampaignRequest::Header header;
    store::NewCampaign campaign;  ///< members, files, cost; without an owner
};

/// Reads a header, members and a commit, and checks all of it: labels, values, limits against the
/// cost, and each specification with its files, on all threads. Throws ValidationError with what is
/// wrong, of a specification with the member before the field, Exhausted beyond kMaxMembers or
/// kMaxMemberBytes.
[[nodiscard]] CampaignIntake receive_campaign(const Context& context,
                                              const Read<v1::CreateCampaignRequest>& read);

/// Throws ValidationError naming the limit that the planned cost is beyond, with both figures.
void check_limits(const v1::CampaignLimits& limits, const v1::CampaignCost& cost);

}  // namespace kaname::service
