// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "client/cli/service.hpp"

namespace kaname::cli {

struct DownloadWish {
    std::string job;                    ///< id
    std::filesystem::path output = {};  ///< file or folder; empty: the job's name with .h5
    bool partial = false, force = false;
};

/// Gets a job's dataset, unless it is there already. Prints a line of it without --json; returns
/// what --json tells: file, bytes, resumed_from, already_there, sha256, complete, sources_done,
/// sources.
nlohmann::json download_dataset(client::Client& client, const DownloadWish& wish,
                                const Context& context);

}  // namespace kaname::cli
