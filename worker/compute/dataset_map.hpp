// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/dataset_map.pb.h"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/solve_records.hpp"

namespace kaname::compute {

/// Returns the contents of a map of a dataset, from its rows alone (io::read_greens_rows).
[[nodiscard]] v1::DatasetMap dataset_map(const io::GreensDataset& rows);

/// Returns the solve history of these sources, of all if `sources` is empty. Throws ValidationError
/// for ids that do not exist, and for more than a million numbers.
[[nodiscard]] v1::SolveHistory solve_history(const io::SolveRecords& records,
                                             const std::vector<std::string>& sources);

}  // namespace kaname::compute
