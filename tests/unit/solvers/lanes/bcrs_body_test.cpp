// SPDX-License-Identifier: BSD-3-Clause
// The GPU's block kernels, thread by thread on the CPU, against the CPU's kernels.
#include "solvers/lanes/bcrs_body.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace kaname::lanes {
namespace {

device::Buffer<float> waves(std::size_t size, double phase) {
    device::Buffer<float> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<float>(std::sin(phase + 0.9 * static_cast<double>(i)));
    }
    return x;
}

void expect_close(const device::Buffer<float>& a, const device::Buffer<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_NEAR(a[i], b[i], 1e-5) << i;
    }
}

template <int R, int C>
void check_rows() {
    constexpr std::int32_t kRows = 29;
    constexpr std::int32_t kCols = 19;
    device::Queue queue;
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> col;
    for (std::int32_t row = 0; row < kRows; ++row) {
        for (std::int32_t k = 0; k < row % 19; ++k) {  // from empty rows to two turns of a warp
            col.push_back((row + 3 * k) % kCols);
        }
        row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    Bcrs A;
    A.block_rows = R;
    A.block_cols = C;
    A.n_cols = kCols;
    A.row_ptr = {std::span<const std::int64_t>(row_ptr), queue};
    A.col = {std::span<const std::int32_t>(col), queue};
    A.val = waves(col.size() * R * C, 0.2);
    const auto x = waves(std::size_t(kCols) * C * kLanes, 0.5);
    device::Buffer<float> cpu(std::size_t(kRows) * R * kLanes);
    device::Buffer<float> gpu(cpu.size());
    bcrs_apply(A, x, cpu, false, queue);
    const body::BcrsRow<R, C> body{A.row_ptr.data(), A.col.data(), A.val.data(), x.data()};
    for (std::int32_t row = 0; row < kRows; ++row) {
        for (int thread = 0; thread < kRowThreads; ++thread) {
            float part[R];
            body(row, thread, part);
            for (int i = 0; i < R; ++i) {
                gpu[(std::size_t(row) * R + i) * kLanes + thread % kLanes] += part[i];
            }
        }
    }
    expect_close(gpu, cpu);
}

TEST(BcrsBody, RowsOfAllShapes) {
    check_rows<3, 3>();
    check_rows<3, 6>();
    check_rows<6, 3>();
    check_rows<6, 6>();
}

template <int R>
void check_blocks() {
    constexpr std::size_t kItems = 31;
    device::Queue queue;
    const std::size_t size = kItems * R * kLanes;
    const auto D = waves(kItems * R * R, 0.1);
    const auto b = waves(size, 0.2);
    const auto Ax = waves(size, 0.4);
    const auto x = waves(size, 0.6);
    const auto n = static_cast<std::int64_t>(kItems) * kLanes;
    device::Buffer<float> cpu(size);
    device::Buffer<float> gpu(size);
    block_diagonal_apply(R, 0.7F, D, x, cpu, queue);
    for (std::int64_t i = 0; i < n; ++i) {
        body::BlockDiagonal<R>{0.7F, D.data(), x.data(), gpu.data()}(i);
    }
    expect_close(gpu, cpu);
    const auto check = [&]<Previous P>(std::integral_constant<Previous, P>) {
        auto on_cpu = waves(size, 0.8);
        auto on_gpu = waves(size, 0.8);
        chebyshev_step(R, 0.4F, 1.3F, P, D, b, Ax, x, on_cpu, queue);
        for (std::int64_t i = 0; i < n; ++i) {
            body::ChebyshevStep<R, P>{0.4F,      1.3F,     D.data(),     b.data(),
                                      Ax.data(), x.data(), on_gpu.data()}(i);
        }
        expect_close(on_gpu, on_cpu);
    };
    check(std::integral_constant<Previous, Previous::None>{});
    check(std::integral_constant<Previous, Previous::Zero>{});
    check(std::integral_constant<Previous, Previous::Given>{});
}

TEST(BcrsBody, BlockDiagonalAndChebyshev) {
    check_blocks<3>();
    check_blocks<6>();
}

}  // namespace
}  // namespace kaname::lanes
