// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/block_matrix.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/parallel/incidence.hpp"

namespace kaname::multigrid {
namespace {

/// Rows of a product are worth far more than other items.
constexpr std::int64_t kRows = 64;

/// p += a b of R x M and M x C blocks.
template <int R, int M, int C>
void add_product(const double* a, const double* b, double* p) {
    for (int i = 0; i < R; ++i) {
        for (int m = 0; m < M; ++m) {
            for (int j = 0; j < C; ++j) {
                p[i * C + j] += a[i * M + m] * b[m * C + j];
            }
        }
    }
}

/// The shapes of a hierarchy are compiled, others loop.
class AddProduct {
public:
    AddProduct(int R, int M, int C) : R_(R), M_(M), C_(C) {
        const auto is = [&](int r, int m, int c) { return R == r && M == m && C == c; };
        compiled_ = is(3, 3, 6)   ? add_product<3, 3, 6>
                    : is(6, 3, 6) ? add_product<6, 3, 6>
                    : is(6, 6, 6) ? add_product<6, 6, 6>
                    : is(3, 1, 3) ? add_product<3, 1, 3>
                                  : nullptr;
    }
    void operator()(const double* a, const double* b, double* p) const {
        if (compiled_ != nullptr) {
            compiled_(a, b, p);
            return;
        }
        for (int i = 0; i < R_; ++i) {
            for (int m = 0; m < M_; ++m) {
                for (int j = 0; j < C_; ++j) {
                    p[i * C_ + j] += a[i * M_ + m] * b[m * C_ + j];
                }
            }
        }
    }

private:
    int R_, M_, C_;
    void (*compiled_)(const double*, const double*, double*);
};

/// Columns of one row of A B + plus as they are found, and each column's place among them.
class RowPattern {
public:
    RowPattern() = default;
    explicit RowPattern(std::int32_t n_cols) : place_(n_cols, -1) {}

    void find(const BlockMatrix& A, const BlockMatrix& B, const BlockMatrix* plus,
              std::int32_t row) {
        for (const std::int32_t column : columns_) {
            place_[column] = -1;
        }
        columns_.clear();
        for (std::int64_t k = plus ? plus->row_ptr[row] : 0; plus && k < plus->row_ptr[row + 1];
             ++k) {
            add(plus->col[k]);
        }
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (std::int64_t l = B.row_ptr[A.col[k]]; l < B.row_ptr[A.col[k] + 1]; ++l) {
                add(B.col[l]);
            }
        }
    }
    void sort() {
        std::sort(columns_.begin(), columns_.end());
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            place_[columns_[at]] = static_cast<std::int32_t>(at);
        }
    }
    [[nodiscard]] const std::vector<std::int32_t>& columns() const { return columns_; }
    [[nodiscard]] std::int32_t place(std::int32_t column) const { return place_[column]; }

private:
    void add(std::int32_t column) {
        if (place_[column] < 0) {
            place_[column] = 0;
            columns_.push_back(column);
        }
    }

    std::vector<std::int32_t> place_;
    std::vector<std::int32_t> columns_;
};

void check_shapes(const BlockMatrix& A, const BlockMatrix& B, const BlockMatrix* plus) {
    if (A.C != B.R || A.n_cols != B.n_rows()) {
        throw Error(ErrorCode::InvalidArgument,
                    "multiply: inner shapes must agree, got " + std::to_string(A.n_cols) +
                        " columns of " + std::to_string(A.C) + " and " +
                        std::to_string(B.n_rows()) + " rows of " + std::to_string(B.R));
    }
    if (plus && (plus->R != A.R || plus->C != B.C || plus->n_rows() != A.n_rows() ||
                 plus->n_cols != B.n_cols)) {
        throw Error(ErrorCode::InvalidArgument, "multiply: what is added has another shape");
    }
}

}  // namespace

lanes::Bcrs BlockMatrix::to_float(device::Queue queue) const {
    lanes::Bcrs result;
    result.block_rows = R;
    result.block_cols = C;
    result.n_cols = n_cols;
    result.row_ptr = {std::span(row_ptr), queue};
    result.col = {std::span(col), queue};
    device::Buffer<float> numbers(val.size());
    parallel_for(std::ssize(val), [&](std::int64_t k) { numbers[k] = static_cast<float>(val[k]); });
    result.val = moved_to(queue, std::move(numbers));
    return result;
}

BlockMatrix BlockMatrix::transposed(std::span<const std::uint8_t> keep) const {
    std::vector<std::int32_t> row_of(col.size());  // -1: not kept
    parallel_for(n_rows(), [&](std::int64_t row) {
        const bool kept = keep.empty() || keep[row] != 0;
        std::fill(row_of.begin() + row_ptr[row], row_of.begin() + row_ptr[row + 1],
                  kept ? static_cast<std::int32_t>(row) : -1);
    });
    Incidence entries = incidence(std::ssize(col), n_cols,
                                  [&](std::int64_t k) { return row_of[k] < 0 ? -1 : col[k]; });
    BlockMatrix T;
    T.R = C;
    T.C = R;
    T.n_cols = n_rows();
    T.row_ptr = std::move(entries.first);
    T.col.resize(entries.place.size());
    T.val.resize(T.col.size() * block_size());
    parallel_for(std::ssize(T.col), [&](std::int64_t at) {
        const std::int64_t k = entries.place[at];
        T.col[at] = row_of[k];
        for (int i = 0; i < R; ++i) {
            for (int j = 0; j < C; ++j) {
                T.val[at * block_size() + j * R + i] = val[k * block_size() + i * C + j];
            }
        }
    });
    return T;
}

BlockMatrix multiply(const BlockMatrix& A, const BlockMatrix& B, const BlockMatrix* plus) {
    check_shapes(A, B, plus);
    const AddProduct add(A.R, A.C, B.C);
    BlockMatrix P;
    P.R = A.R;
    P.C = B.C;
    P.n_cols = B.n_cols;
    P.row_ptr.assign(A.n_rows() + 1, 0);
    const auto pattern = [&] { return RowPattern(B.n_cols); };
    parallel_ranges(A.n_rows(), kRows, pattern, [&](auto begin, auto end, RowPattern& found) {
        for (std::int64_t row = begin; row < end; ++row) {
            found.find(A, B, plus, static_cast<std::int32_t>(row));
            P.row_ptr[row] = std::ssize(found.columns());
        }
    });
    P.col.resize(exclusive_sum(std::span(P.row_ptr)));
    P.val.resize(P.col.size() * P.block_size());
    parallel_ranges(A.n_rows(), kRows, pattern, [&](auto begin, auto end, RowPattern& found) {
        for (std::int64_t row = begin; row < end; ++row) {
            found.find(A, B, plus, static_cast<std::int32_t>(row));
            found.sort();
            std::copy(found.columns().begin(), found.columns().end(),
                      P.col.begin() + P.row_ptr[row]);
            double* val = P.val.data() + P.row_ptr[row] * P.block_size();
            for (std::int64_t k = plus ? plus->row_ptr[row] : 0; plus && k < plus->row_ptr[row + 1];
                 ++k) {
                std::copy_n(plus->val.data() + k * P.block_size(), P.block_size(),
                            val + found.place(plus->col[k]) * P.block_size());
            }
            for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
                const double* a = A.val.data() + k * A.block_size();
                for (std::int64_t l = B.row_ptr[A.col[k]]; l < B.row_ptr[A.col[k] + 1]; ++l) {
                    add(a, B.val.data() + l * B.block_size(),
                        val + found.place(B.col[l]) * P.block_size());
                }
            }
        }
    });
    return P;
}

}  // namespace kaname::multigrid
