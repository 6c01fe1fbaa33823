// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "proto/kaname/v1/dataset_map.pb.h"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::compute {

/// Reports the contents of a dataset. Numbers that do not exist (of a missing source) are NaN,
/// which report::to_json leaves out. `fields` names the additional groups of the file
/// (io/field_groups.hpp).
[[nodiscard]] v1::DatasetReport dataset_report(const io::GreensDataset& dataset,
                                               const std::vector<std::string>& fields = {});

/// "done" and the like.
[[nodiscard]] const char* status_name(std::int8_t status);
[[nodiscard]] v1::StatusCounts status_counts(const io::GreensDataset& dataset);
[[nodiscard]] v1::DatasetReport::Event event_report(const io::ScenarioEventRow& event);

/// Returns the contents of a map of a dataset, from its rows alone (io::read_greens_rows).
[[nodiscard]] v1::DatasetMap dataset_map(const io::GreensDataset& rows);

/// Returns the solve history of these sources, of all if `sources` is empty. Throws ValidationError
/// for ids that do not exist, and for more than a million numbers.
[[nodiscard]] v1::SolveHistory solve_history(const io::SolveRecords& records,
                                             const std::vector<std::string>& sources);

}  // namespace kaname::compute
