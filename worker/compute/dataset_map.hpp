// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/dataset_map.pb.h"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/solve_records.hpp"

namespace kaname::compute {

/// What a map of a dataset shows, of its rows alone (io::read_greens_rows).
[[nodiscard]] v1::DatasetMap dataset_map(const io::GreensDataset& rows);

/// Of these sources, all when there are none. Throws ValidationError for ids that are not there,
/// and for more than a million numbers.
[[nodiscard]] v1::SolveHistory solve_history(const io::SolveRecords& records,
                                             const std::vector<std::string>& sources);

}  // namespace kaname::compute
