// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"

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

/// DatasetWish holds the options of `dataset list`.
struct DatasetWish {
    std::string name, owner, campaign, fault, physics, structure, made_after, made_before;
    std::vector<std::string> tags, stations;
    bool complete = false, partial = false, pinned = false;
    std::vector<double> box, near;  ///< W,S,E,N and LON,LAT
    double within_km = 0.0;
};

/// Throws InvalidArgument naming the option. `client` finds the campaign.
[[nodiscard]] v1::ListDatasetsRequest request_of(const DatasetWish& wish, client::Client& client);

/// A head of columns and a line per dataset, fit for 100 columns; a tail that says what is left
/// out.
[[nodiscard]] std::string datasets_table(const std::vector<v1::Dataset>& datasets);
[[nodiscard]] Rows rows_of(const v1::Dataset& dataset);
[[nodiscard]] nlohmann::json dataset_json(const v1::Dataset& dataset);

}  // namespace kaname::cli
