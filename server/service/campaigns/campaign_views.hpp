// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/campaign.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

[[nodiscard]] v1::Campaign to_message(const store::Campaign& campaign);
/// With its dataset, where that is stored.
[[nodiscard]] v1::CampaignMember to_message(const Context& context,
                                            const store::CampaignMember& member);

/// Messages as the store keeps them.
[[nodiscard]] std::string text_of(const google::protobuf::RepeatedPtrField<v1::CampaignAxis>& axes);
[[nodiscard]] std::string text_of(const v1::CampaignCost& cost);
[[nodiscard]] std::string text_of(const google::protobuf::RepeatedPtrField<std::string>& values);

}  // namespace kaname::service
