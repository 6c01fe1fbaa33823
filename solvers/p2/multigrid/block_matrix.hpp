// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/lanes/bcrs.hpp"

namespace kaname::multigrid {

/// Sparse matrix of dense R x C blocks in FP64, used while a hierarchy is set up.
struct BlockMatrix {
    int R = 3;
    int C = 3;
    std::int32_t n_cols = 0;
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> col;  ///< ascending in a row
    std::vector<double> val;        ///< [nnz][R][C]

    [[nodiscard]] std::int32_t n_rows() const {
        return static_cast<std::int32_t>(row_ptr.size()) - 1;
    }
    [[nodiscard]] int block_size() const { return R * C; }
    /// FP32 copy for the cycle.
    [[nodiscard]] lanes::Bcrs to_float(device::Queue queue = device::Queue()) const;
    /// Transpose of the rows with keep[row] != 0 (all when keep is empty).
    [[nodiscard]] BlockMatrix transposed(std::span<const std::uint8_t> keep) const;
};

/// A B, and what is added to it when that is given. Throws InvalidArgument when block or matrix
/// shapes disagree.
[[nodiscard]] BlockMatrix multiply(const BlockMatrix& A, const BlockMatrix& B,
                                   const BlockMatrix* plus = nullptr);

}  // namespace kaname::multigrid
