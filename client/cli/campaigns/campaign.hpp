// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/lib/client.hpp"
#include "proto/kaname/v1/campaign_index.pb.h"

// Declares the parts that the verbs of `kaname campaign` share.
namespace kaname::cli {

inline constexpr const char* kCampaignHelp = "Id, its first characters, a name, or latest";

/// plan, run, extend.
void add_campaign_run(Command& campaign, Context& context);

/// Shows the campaign's progress to its end, then downloads it to `output`; the exit code.
[[nodiscard]] int wait_for_campaign(client::Client& client, const std::string& id,
                                    const std::string& output, const ServiceOptions& service,
                                    const Context& context);

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
