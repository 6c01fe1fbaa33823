// SPDX-License-Identifier: BSD-3-Clause
// Declares the parts that the verbs of `kaname campaign` share.
#pragma once

#include <string>

#include "client/cli/service.hpp"

namespace kaname::cli {

inline constexpr const char* kCampaignHelp = "Id, its first characters, a name, or latest";

/// plan, run, extend.
void add_campaign_run(Command& campaign, Context& context);

/// Shows the campaign's progress to its end, then downloads it to `output`; the exit code.
[[nodiscard]] int wait_for_campaign(client::Client& client, const std::string& id,
                                    const std::string& output, const ServiceOptions& service,
                                    const Context& context);

}  // namespace kaname::cli
