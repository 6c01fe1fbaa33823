// SPDX-License-Identifier: BSD-3-Clause
// The block kernels on the CPU and thread by thread as on a GPU, for several numbers of lanes,
// against plain loops.
#include "solvers/lanes/bcrs_body.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/lanes/rows.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::bcrs_body_test {
namespace {

template <int R, int C, int L>
void check_rows() {
    constexpr std::int32_t kRows = 29;
    constexpr std::int32_t kCols = 19;
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> col;
    for (std::int32_t row = 0; row < kRows; ++row) {
        for (int k = 0; k < row % 19; ++k) {  // from empty rows to two turns of a warp
            col.push_back((row + 3 * k) % kCols);
        }
        row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    const auto val = waves<float>(col.size() * R * C, 0.2);
    const auto x = waves<float>(std::size_t(kCols) * C * L, 0.5);
    const auto before = waves<float>(std::size_t(kRows) * R * L, 0.9);
    const body::BcrsRow<R, C, L> body{row_ptr.data(), col.data(), val.data(), x.data()};

    Numbers<float> set = before;
    Numbers<float> added = before;
    for_each_row_cpu(kRows, body, set.data(), false);
    for_each_row_cpu(kRows, body, added.data(), true);

    for (std::int32_t row = 0; row < kRows; ++row) {
        LaneArray<float, L> columns[R] = {};
        for (int thread = 0; thread < body::kRowThreads<R, C>; ++thread) {
            body::BcrsColumns<R, C, L>{body}(row, thread, columns);
        }
        for (int lane = 0; lane < L; ++lane) {
            const auto gpu = row_of_warp(body, row, lane);
            for (int i = 0; i < R; ++i) {
                double expected = 0.0;
                for (std::int64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                    for (int j = 0; j < C; ++j) {
                        expected +=
                            double(val[(k * R + i) * C + j]) * x[(col[k] * C + j) * L + lane];
                    }
                }
                const std::size_t at = (std::size_t(row) * R + i) * L + lane;
                ASSERT_NEAR(set[at], expected, 2e-5);
                ASSERT_NEAR(added[at], before[at] + expected, 2e-5);
                ASSERT_NEAR(gpu[i], expected, 2e-5);
                ASSERT_NEAR(columns[i][lane], expected, 2e-5);
            }
        }
    }
}

TEST(BcrsBody, RowsOfAllShapes) {
    check_rows<3, 3, 4>();
    check_rows<3, 6, 1>();
    check_rows<6, 3, 8>();
    check_rows<6, 6, 4>();
}

template <int R, int L>
void check_blocks() {
    constexpr std::int64_t kItems = 31;
    const std::size_t size = kItems * R * L;
    const auto D = waves<float>(kItems * R * R, 0.1);
    const auto b = waves<float>(size, 0.2);
    const auto Ax = waves<float>(size, 0.4);
    const auto x = waves<float>(size, 0.6);
    const auto next = waves<float>(size, 0.8);
    // (D v) at place k of a vector [items][R][L].
    const auto times = [&](std::size_t k, auto v) {
        const std::size_t item = k / (R * L);
        double sum = 0.0;
        for (int j = 0; j < R; ++j) {
            sum += double(D[item * R * R + k / L % R * R + j]) * v((item * R + j) * L + k % L);
        }
        return sum;
    };
    expect_body(
        kItems, next, 1e-5,
        [&](float* y) {
            return body::BlockDiagonal<R, L>{0.7F, D.data(), x.data(), y};
        },
        [&](std::size_t k) { return 0.7 * times(k, [&](std::size_t i) { return x[i]; }); });
    const auto check = [&]<Previous P>(std::integral_constant<Previous, P>) {
        expect_body(
            kItems, next, 1e-5,
            [&](float* y) {
                return body::ChebyshevStep<R, P, L>{0.4F,      1.3F,     D.data(), b.data(),
                                                    Ax.data(), x.data(), y};
            },
            [&](std::size_t k) {
                const double before = P == Previous::None   ? x[k]
                                      : P == Previous::Zero ? 0.0
                                                            : next[k];
                return x[k] + 0.4 * (x[k] - before) +
                       1.3 * times(k, [&](std::size_t i) { return b[i] - Ax[i]; });
            });
    };
    check(std::integral_constant<Previous, Previous::None>{});
    check(std::integral_constant<Previous, Previous::Zero>{});
    check(std::integral_constant<Previous, Previous::Given>{});
}

template <int N>
void check_numbers() {
    constexpr int kBlocks = 5;
    const auto val = waves<float>(std::size_t(kBlocks) * N, 0.3);
    for (int block = 0; block < kBlocks; ++block) {
        const body::BlockNumbers<N> numbers(val.data() + block * N);
        for (int k = 0; k < N; ++k) {
            ASSERT_EQ(numbers[k], val[block * N + k]);
        }
    }
}

TEST(BcrsBody, WideLoadsGiveABlocksNumbers) {
    check_numbers<9>();
    check_numbers<18>();
    check_numbers<36>();
    EXPECT_EQ(body::BlockNumbers<36>::kWide, 4);
    EXPECT_EQ(body::BlockNumbers<18>::kWide, 2);
    EXPECT_EQ(body::BlockNumbers<9>::kWide, 1);
}

TEST(BcrsBody, BlockDiagonalAndChebyshev) {
    check_blocks<3, 1>();
    check_blocks<3, 4>();
    check_blocks<6, 4>();
    check_blocks<6, 8>();
}

}  // namespace
}  // namespace kaname::lanes::bcrs_body_test
