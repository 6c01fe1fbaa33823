// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "client/cli/output_place.hpp"
#include "client/cli/progress_view.hpp"
#include "client/lib/client.hpp"

namespace kaname::cli {

/// Draws the job's progress until it ends; returns it as it then is. Failed sources are named as
/// they fail. `on_job` sees every state of it that comes; it leaves the view's line before it
/// prints.
[[nodiscard]] v1::Job follow_job(
    client::Client& client, const std::string& id,
    const std::function<void(const v1::Job&, ProgressView& view)>& on_job = {});

/// Returns true if the file at `path` is this dataset, byte for byte.
[[nodiscard]] bool holds(const std::filesystem::path& path, const v1::Dataset& dataset);

/// Downloads the job's dataset to its place, with a progress line.
[[nodiscard]] client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                               const OutputPlace& place);

}  // namespace kaname::cli
