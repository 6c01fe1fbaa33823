// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/block_matrix.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/unit/solvers/p2/multigrid/append_row.hpp"

namespace kaname::multigrid::block_matrix_test {
namespace {

using Dense = std::vector<double>;

BlockMatrix random_matrix(std::int32_t rows, std::int32_t cols, int R, int C, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    BlockMatrix A;
    A.R = R;
    A.C = C;
    A.n_cols = cols;
    for (std::int32_t row = 0; row < rows; ++row) {
        std::map<std::int32_t, std::vector<double>> blocks;
        for (std::int32_t col = 0; col < cols; ++col) {
            if (uniform(random) > 0.2 && row != 2) {
                auto& block = blocks[col];
                for (int k = 0; k < R * C; ++k) {
                    block.push_back(uniform(random));
                }
            }
        }
        append_row(A, blocks);
    }
    return A;
}

/// [rows R][cols C]
Dense dense(const BlockMatrix& A) {
    const std::size_t width = std::size_t(A.n_cols) * A.C;
    Dense M(std::size_t(A.n_rows()) * A.R * width, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (int i = 0; i < A.R; ++i) {
                for (int j = 0; j < A.C; ++j) {
                    M[(row * A.R + i) * width + A.col[k] * A.C + j] +=
                        A.val[k * A.block_size() + i * A.C + j];
                }
            }
        }
    }
    return M;
}

void expect_columns_ascend(const BlockMatrix& A) {
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        EXPECT_TRUE(std::is_sorted(A.col.begin() + A.row_ptr[row],
                                   A.col.begin() + A.row_ptr[row + 1], std::less_equal<>{}));
    }
}

TEST(BlockMatrix, ProductEqualsTheDenseProduct) {
    const BlockMatrix A = random_matrix(7, 5, 3, 6, 1);
    const BlockMatrix B = random_matrix(5, 4, 6, 3, 2);

    const BlockMatrix P = multiply(A, B);

    const Dense a = dense(A);
    const Dense b = dense(B);
    const Dense p = dense(P);
    const int n = 21;
    const int m = 30;
    const int l = 12;
    ASSERT_EQ(p.size(), static_cast<std::size_t>(n * l));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < l; ++j) {
            double sum = 0.0;
            for (int k = 0; k < m; ++k) {
                sum += a[i * m + k] * b[k * l + j];
            }
            EXPECT_NEAR(p[i * l + j], sum, 1e-13);
        }
    }
    expect_columns_ascend(P);
}

TEST(BlockMatrix, ProductMayAddAMatrixWithOtherBlocks) {
    const BlockMatrix A = random_matrix(7, 5, 3, 6, 9);
    const BlockMatrix B = random_matrix(5, 4, 6, 3, 10);
    const BlockMatrix C = random_matrix(7, 4, 3, 3, 11);

    const BlockMatrix P = multiply(A, B, &C);

    const Dense product = dense(multiply(A, B));
    const Dense c = dense(C);
    const Dense p = dense(P);
    for (std::size_t k = 0; k < p.size(); ++k) {
        EXPECT_NEAR(p[k], product[k] + c[k], 1e-14);
    }
    expect_columns_ascend(P);
}

TEST(BlockMatrix, TransposeEqualsTheDenseTranspose) {
    const BlockMatrix A = random_matrix(7, 5, 3, 6, 3);

    const BlockMatrix T = A.transposed({});

    const Dense a = dense(A);
    const Dense t = dense(T);
    EXPECT_EQ(T.n_rows(), 5);
    EXPECT_EQ(T.n_cols, 7);
    for (int i = 0; i < 21; ++i) {
        for (int j = 0; j < 30; ++j) {
            EXPECT_EQ(t[j * 21 + i], a[i * 30 + j]);
        }
    }
    expect_columns_ascend(T);
}

TEST(BlockMatrix, TransposeLeavesOutRowsThatAreNotKept) {
    const BlockMatrix A = random_matrix(7, 5, 6, 6, 4);
    const std::vector<std::uint8_t> keep = {1, 0, 1, 1, 0, 0, 1};

    const BlockMatrix T = A.transposed(keep);

    const Dense a = dense(A);
    const Dense t = dense(T);
    for (int i = 0; i < 42; ++i) {
        for (int j = 0; j < 30; ++j) {
            EXPECT_EQ(t[j * 42 + i], keep[i / 6] != 0 ? a[i * 30 + j] : 0.0);
        }
    }
}

TEST(BlockMatrix, FloatCopyHoldsTheSameBlocks) {
    const BlockMatrix A = random_matrix(7, 5, 3, 6, 5);

    const lanes::Bcrs F = A.to_float();

    EXPECT_EQ(F.block_rows, 3);
    EXPECT_EQ(F.block_cols, 6);
    EXPECT_EQ(F.n_cols, 5);
    EXPECT_TRUE(std::ranges::equal(F.row_ptr.view(), A.row_ptr));
    EXPECT_TRUE(std::ranges::equal(F.col.view(), A.col));
    for (std::size_t k = 0; k < A.val.size(); ++k) {
        EXPECT_EQ(F.val[k], static_cast<float>(A.val[k]));
    }
}

TEST(BlockMatrix, ProductRefusesShapesThatDisagree) {
    const BlockMatrix A = random_matrix(7, 5, 3, 6, 6);

    EXPECT_THROW((void)multiply(A, random_matrix(5, 4, 3, 6, 7)), Error);
    EXPECT_THROW((void)multiply(A, random_matrix(6, 4, 6, 6, 8)), Error);
}

}  // namespace
}  // namespace kaname::multigrid::block_matrix_test
