// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "client/lib/client.hpp"

namespace kaname::cli {

/// Draws the job's progress until it ends; returns it as it then is. Failed sources are named as
/// they fail.
[[nodiscard]] v1::Job follow_job(client::Client& client, const std::string& id);

/// The job's dataset to `path`, with a progress line.
[[nodiscard]] client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                               const std::string& path);

}  // namespace kaname::cli
