// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace kaname::service {

/// How a server drives the campaigns of its database.
struct CampaignOptions {
    bool drive = false;       ///< whether this server submits members at all
    double look_every_s = 1;  ///< and soon after each change
    double lease_s = 20;  ///< for which a campaign is this server's; the workers' if that is less
    std::int64_t window =
        2000;                 ///< unfinished tasks of a campaign up to which members are submitted
    int members_at_once = 8;  ///< of one campaign, before another has its turn
    double longest_backoff_s = 60;
};

/// These constants limit the size of a campaign.
inline constexpr std::int64_t kMaxMembers = 100000;
inline constexpr std::size_t kMaxMemberBytes = std::size_t{256} << 20U;  ///< of specifications
inline constexpr std::size_t kMaxLabel = 200, kMaxAxes = 16;

}  // namespace kaname::service
