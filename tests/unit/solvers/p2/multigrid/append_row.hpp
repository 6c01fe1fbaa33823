// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "solvers/p2/multigrid/block_matrix.hpp"

namespace kaname::multigrid {

/// Appends a row, given as blocks by column.
inline void append_row(BlockMatrix& A, const std::map<std::int32_t, std::vector<double>>& row) {
    for (const auto& [column, block] : row) {
        A.col.push_back(column);
        A.val.insert(A.val.end(), block.begin(), block.end());
    }
    A.row_ptr.push_back(static_cast<std::int64_t>(A.col.size()));
}

}  // namespace kaname::multigrid
