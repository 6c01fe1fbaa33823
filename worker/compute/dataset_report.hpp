// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"

namespace kaname::compute {

/// What a dataset holds, as one JSON object: name, title, dims, units, epochs_s, stations, sources
/// (with status, mean iterations and largest displacement), max_displacement_m by component,
/// mean_iterations, failures and provenance. Numbers that do not exist (a missing source) are null.
/// fields: groups of the file besides (io/field_groups.hpp), by name.
[[nodiscard]] std::string dataset_report(const io::GreensDataset& dataset,
                                         const std::vector<std::string>& fields = {});

/// {"written": [paths]}
[[nodiscard]] std::string xdmf_report(const std::vector<std::string>& written);

}  // namespace kaname::compute
