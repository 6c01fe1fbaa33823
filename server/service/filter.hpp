// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "server/store/campaign_store.hpp"
#include "server/store/types.hpp"

namespace kaname::service {

/// Parses `field = "value" [AND field = "value" ...]` (a small part of AIP-160) over state, title
/// and owner. Throws ValidationError naming the place in the text.
[[nodiscard]] store::JobFilter parse_filter(const std::string& text);
/// Parses the same language for campaigns; parse_member_filter takes the state of members alone.
[[nodiscard]] store::CampaignFilter parse_campaign_filter(const std::string& text);
[[nodiscard]] std::optional<store::MemberState> parse_member_filter(const std::string& text);

}  // namespace kaname::service
