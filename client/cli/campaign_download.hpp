// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/commands.hpp"
#include "client/lib/client.hpp"
#include "proto/kaname/v1/campaign_index.pb.h"

namespace kaname::cli {

/// CampaignFiles describes the outcome of a download.
struct CampaignFiles {
    v1::CampaignIndexReport index;
    std::size_t fetched = 0, there = 0, missing = 0;
    double bytes = 0.0;  ///< of what was fetched
};

/// Downloads every member's dataset that exists to `folder`/members, and writes index.nc over them.
/// Files that are there already stay. Throws Conflict when `folder` has the files of another
/// campaign.
[[nodiscard]] CampaignFiles download_campaign(client::Client& client, const v1::Campaign& campaign,
                                              const std::filesystem::path& folder,
                                              const Context& context);

}  // namespace kaname::cli
