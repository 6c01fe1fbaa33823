// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs.hpp"

#include <cmath>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes::bcrs_test {
namespace {

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double operator()() { return uniform_(engine_); }
    device::Buffer<float> vector(std::size_t size) {
        device::Buffer<float> x(size);
        for (std::size_t i = 0; i < size; ++i) {
            x[i] = static_cast<float>((*this)());
        }
        return x;
    }

private:
    std::mt19937 engine_;
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

constexpr std::int32_t kRows = 37;
constexpr std::int32_t kCols = 23;

/// 37 x 23 blocks, about a third of them there; row 5 is empty.
Bcrs random_matrix(int block_rows, int block_cols, Random& random) {
    Bcrs A;
    A.block_rows = block_rows;
    A.block_cols = block_cols;
    A.n_cols = kCols;
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> cols;
    for (std::int32_t row = 0; row < kRows; ++row) {
        for (std::int32_t col = 0; col < kCols && row != 5; ++col) {
            if (random() > 0.3) {
                cols.push_back(col);
            }
        }
        row_ptr.push_back(static_cast<std::int64_t>(cols.size()));
    }
    device::Queue cpu;
    A.row_ptr = {std::span<const std::int64_t>(row_ptr), cpu};
    A.col = {std::span<const std::int32_t>(cols), cpu};
    A.val = random.vector(A.col.size() * block_rows * block_cols);
    return A;
}

/// A x by the definition, in FP64.
std::vector<double> naive(const Bcrs& A, const device::Buffer<float>& x) {
    const int R = A.block_rows;
    const int C = A.block_cols;
    std::vector<double> y(std::size_t(A.n_rows()) * R * kLanes, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (int i = 0; i < R; ++i) {
                for (int j = 0; j < C; ++j) {
                    for (int lane = 0; lane < kLanes; ++lane) {
                        y[(row * R + i) * kLanes + lane] += double(A.val[(k * R + i) * C + j]) *
                                                            x[(A.col[k] * C + j) * kLanes + lane];
                    }
                }
            }
        }
    }
    return y;
}

class BcrsShapes : public testing::TestWithParam<std::pair<int, int>> {
protected:
    device::Queue queue;
    Random random{11};
};

TEST_P(BcrsShapes, ApplyMatchesTheDefinition) {
    const auto [R, C] = GetParam();
    const Bcrs A = random_matrix(R, C, random);
    const auto x = random.vector(std::size_t(kCols) * C * kLanes);
    auto y = random.vector(std::size_t(kRows) * R * kLanes);
    const auto expected = naive(A, x);

    bcrs_apply(A, x, y, false, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], expected[i], 1e-5) << i;
    }
}

TEST_P(BcrsShapes, ApplyAddsWhenAsked) {
    const auto [R, C] = GetParam();
    const Bcrs A = random_matrix(R, C, random);
    const auto x = random.vector(std::size_t(kCols) * C * kLanes);
    device::Buffer<float> y(std::size_t(kRows) * R * kLanes);
    y.fill(3.0F);
    const auto expected = naive(A, x);

    bcrs_apply(A, x, y, true, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], 3.0 + expected[i], 1e-5) << i;
    }
}

TEST_P(BcrsShapes, RefusesVectorsThatDoNotFit) {
    const auto [R, C] = GetParam();
    const Bcrs A = random_matrix(R, C, random);
    device::Buffer<float> x(std::size_t(kCols) * C * kLanes);
    device::Buffer<float> y(std::size_t(kRows) * R * kLanes);
    device::Buffer<float> other(y.size() + kLanes);

    EXPECT_THROW(bcrs_apply(A, other, y, false, queue), Error);
    EXPECT_THROW(bcrs_apply(A, x, other, false, queue), Error);
}

INSTANTIATE_TEST_SUITE_P(Blocks, BcrsShapes,
                         testing::Values(std::pair{3, 3}, std::pair{3, 6}, std::pair{6, 3},
                                         std::pair{6, 6}));

TEST(Bcrs, RefusesUnknownBlocks) {
    device::Queue queue;
    Random random(3);
    const Bcrs A = random_matrix(4, 3, random);
    device::Buffer<float> x(std::size_t(kCols) * 3 * kLanes);
    device::Buffer<float> y(std::size_t(kRows) * 4 * kLanes);

    EXPECT_THROW(bcrs_apply(A, x, y, false, queue), Error);
}

class DiagonalBlocks : public testing::TestWithParam<int> {
protected:
    static constexpr std::size_t kItems = 41;

    /// D v of one item's component and lane, in FP64.
    [[nodiscard]] double times(const device::Buffer<float>& D, const std::vector<double>& v,
                               std::size_t at) const {
        const std::size_t R = GetParam();
        const std::size_t row = at / kLanes;
        double sum = 0.0;
        for (std::size_t j = 0; j < R; ++j) {
            sum += double(D[row * R + j]) * v[(row / R * R + j) * kLanes + at % kLanes];
        }
        return sum;
    }
    [[nodiscard]] static std::vector<double> widened(const device::Buffer<float>& x) {
        return {x.data(), x.data() + x.size()};
    }
    device::Queue queue;
    Random random{19};
};

TEST_P(DiagonalBlocks, ApplyMatchesTheDefinition) {
    const std::size_t R = GetParam();
    const auto D = random.vector(kItems * R * R);
    const auto x = random.vector(kItems * R * kLanes);
    device::Buffer<float> y(x.size());

    block_diagonal_apply(GetParam(), 0.5F, D, x, y, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], 0.5 * times(D, widened(x), i), 1e-5) << i;
    }
}

TEST_P(DiagonalBlocks, ChebyshevStepMatchesItsFormulaForEveryPrevious) {
    const std::size_t R = GetParam();
    const std::size_t size = kItems * R * kLanes;
    const auto D = random.vector(kItems * R * R);
    const auto b = random.vector(size);
    const auto Ax = random.vector(size);
    const auto x = random.vector(size);
    auto residual = widened(b);
    for (std::size_t i = 0; i < size; ++i) {
        residual[i] -= Ax[i];
    }
    for (const Previous previous : {Previous::None, Previous::Zero, Previous::Given}) {
        auto next = random.vector(size);
        const auto given = widened(next);

        chebyshev_step(GetParam(), 0.3F, -1.7F, previous, D, b, Ax, x, next, queue);

        for (std::size_t i = 0; i < size; ++i) {
            const double before = previous == Previous::Given  ? given[i]
                                  : previous == Previous::Zero ? 0.0
                                                               : x[i];
            const double expected = x[i] + 0.3 * (x[i] - before) - 1.7 * times(D, residual, i);
            EXPECT_NEAR(next[i], expected, 1e-5) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, DiagonalBlocks, testing::Values(3, 6));

/// One pass over a square matrix gives the bits of A x followed by what is done with it.
TEST(Bcrs, OnePassIsTwo) {
    device::Queue cpu;
    for (const int block : {3, 6}) {
        Random random(61);
        Bcrs A = random_matrix(block, block, random);
        A.n_cols = kRows;
        const std::size_t size = std::size_t(kRows) * block * kLanes;
        const auto x = random.vector(size);
        const auto b = random.vector(size);
        const auto D = random.vector(std::size_t(kRows) * block * block);
        device::Buffer<float> Ax(size);
        bcrs_apply(A, x, Ax, false, cpu);

        device::Buffer<float> r(size);
        bcrs_residual(A, b, x, r, cpu);
        for (std::size_t i = 0; i < size; ++i) {
            ASSERT_EQ(r[i], b[i] - Ax[i]);
        }
        for (const Previous previous : {Previous::None, Previous::Zero, Previous::Given}) {
            const auto before = random.vector(size);
            device::Buffer<float> once(std::span<const float>(before.data(), size), cpu);
            device::Buffer<float> twice(std::span<const float>(before.data(), size), cpu);
            bcrs_chebyshev_step(A, 0.4F, 1.3F, previous, D, b, x, once, cpu);
            chebyshev_step(block, 0.4F, 1.3F, previous, D, b, Ax, x, twice, cpu);
            for (std::size_t i = 0; i < size; ++i) {
                ASSERT_EQ(once[i], twice[i]);
            }
        }
    }
}

}  // namespace
}  // namespace kaname::lanes::bcrs_test
