// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Writes the index of a downloaded campaign from its record, a v1::CampaignIndex as JSON. Files of
/// the record count from the index's folder. Throws NotFound, InvalidArgument.
int campaign_index(const std::string& record, const std::string& out, Reporter& reporter);

}  // namespace kaname::compute
