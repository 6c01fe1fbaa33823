// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "client/cli/format.hpp"
#include "client/cli/service.hpp"

namespace kaname::cli {

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
