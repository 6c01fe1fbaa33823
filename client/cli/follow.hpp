// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "client/cli/output_place.hpp"
#include "client/lib/client.hpp"

namespace kaname::cli {

/// Draws the job's progress until it ends; returns it as it then is. Failed sources are named as
/// they fail.
[[nodiscard]] v1::Job follow_job(client::Client& client, const std::string& id);

/// Whether the file at `path` is this dataset, byte for byte.
[[nodiscard]] bool holds(const std::filesystem::path& path, const v1::Dataset& dataset);

/// The job's dataset to its place, with a progress line.
[[nodiscard]] client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                               const OutputPlace& place);

}  // namespace kaname::cli
