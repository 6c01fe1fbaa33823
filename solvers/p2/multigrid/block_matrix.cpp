// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/block_matrix.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::multigrid {

void BlockMatrix::append_row(const std::map<std::int32_t, std::vector<double>>& row) {
    for (const auto& [column, block] : row) {
        col.push_back(column);
        val.insert(val.end(), block.begin(), block.end());
    }
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
}

lanes::Bcrs BlockMatrix::to_float(device::Queue queue) const {
    lanes::Bcrs result;
    result.block_rows = R;
    result.block_cols = C;
    result.n_cols = n_cols;
    result.row_ptr = {std::span(row_ptr), queue};
    result.col = {std::span(col), queue};
    const std::vector<float> numbers(val.begin(), val.end());
    result.val = {std::span(numbers), queue};
    return result;
}

BlockMatrix BlockMatrix::transposed(std::span<const std::uint8_t> keep) const {
    BlockMatrix T;
    T.R = C;
    T.C = R;
    T.n_cols = n_rows();
    T.row_ptr.assign(n_cols + 1, 0);
    const auto kept = [&](std::int32_t row) { return keep.empty() || keep[row] != 0; };
    for (std::int32_t row = 0; row < n_rows(); ++row) {
        for (std::int64_t k = row_ptr[row]; kept(row) && k < row_ptr[row + 1]; ++k) {
            ++T.row_ptr[col[k] + 1];
        }
    }
    for (std::int32_t c = 0; c < n_cols; ++c) {
        T.row_ptr[c + 1] += T.row_ptr[c];
    }
    T.col.resize(T.row_ptr.back());
    T.val.resize(T.col.size() * block_size());
    std::vector<std::int64_t> next(T.row_ptr.begin(), T.row_ptr.end() - 1);
    for (std::int32_t row = 0; row < n_rows(); ++row) {
        for (std::int64_t k = row_ptr[row]; kept(row) && k < row_ptr[row + 1]; ++k) {
            const std::int64_t at = next[col[k]]++;
            T.col[at] = row;
            for (int i = 0; i < R; ++i) {
                for (int j = 0; j < C; ++j) {
                    T.val[at * block_size() + j * R + i] = val[k * block_size() + i * C + j];
                }
            }
        }
    }
    return T;
}

BlockMatrix multiply(const BlockMatrix& A, const BlockMatrix& B) {
    if (A.C != B.R || A.n_cols != B.n_rows()) {
        throw Error(ErrorCode::InvalidArgument,
                    "multiply: inner shapes must agree, got " + std::to_string(A.n_cols) +
                        " columns of " + std::to_string(A.C) + " and " +
                        std::to_string(B.n_rows()) + " rows of " + std::to_string(B.R));
    }
    BlockMatrix P;
    P.R = A.R;
    P.C = B.C;
    P.n_cols = B.n_cols;
    std::vector<std::int64_t> place(B.n_cols, -1);  // where this row's block of a column is
    std::vector<std::int32_t> columns;
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        columns.clear();
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (std::int64_t l = B.row_ptr[A.col[k]]; l < B.row_ptr[A.col[k] + 1]; ++l) {
                if (place[B.col[l]] < 0) {
                    place[B.col[l]] = 0;
                    columns.push_back(B.col[l]);
                }
            }
        }
        std::sort(columns.begin(), columns.end());
        for (const std::int32_t column : columns) {
            place[column] = static_cast<std::int64_t>(P.col.size());
            P.col.push_back(column);
        }
        P.val.resize(P.col.size() * P.block_size(), 0.0);
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            const double* a = A.val.data() + k * A.block_size();
            for (std::int64_t l = B.row_ptr[A.col[k]]; l < B.row_ptr[A.col[k] + 1]; ++l) {
                const double* b = B.val.data() + l * B.block_size();
                double* p = P.val.data() + place[B.col[l]] * P.block_size();
                for (int i = 0; i < A.R; ++i) {
                    for (int m = 0; m < A.C; ++m) {
                        for (int j = 0; j < B.C; ++j) {
                            p[i * B.C + j] += a[i * A.C + m] * b[m * B.C + j];
                        }
                    }
                }
            }
        }
        for (const std::int32_t column : columns) {
            place[column] = -1;
        }
        P.row_ptr.push_back(static_cast<std::int64_t>(P.col.size()));
    }
    return P;
}

}  // namespace kaname::multigrid
