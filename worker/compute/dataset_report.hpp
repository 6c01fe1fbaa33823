// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/kaname/v1/dataset_report.pb.h"
#include "solvers/io/dataset/greens_dataset.hpp"

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

}  // namespace kaname::compute
