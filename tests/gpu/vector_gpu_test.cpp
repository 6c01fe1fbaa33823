// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace kaname::lanes::vector_gpu_test {
namespace {

using device::Buffer;
using device::Queue;
using device::View;

constexpr int kItems = 10007;  // no multiple of a warp, more than one block's share
constexpr std::size_t kSize = std::size_t(kItems) * 3 * kLanes;
constexpr LaneScalars kA = {0.3, -1.7, 2.5, 0.0};
constexpr LaneScalars kB = {1.1, 0.0, -0.4, 1.0};

class VectorGpu : public GpuTest {};

/// Rows of no block, of one and of more than the threads of a row take at once.
Bcrs rows_of_all_lengths(int R, int C, std::int32_t rows, std::int32_t cols, View<const float> val,
                         Queue& queue) {
    std::vector<std::int64_t> row_ptr = {0};
    std::vector<std::int32_t> col;
    for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t k = 0; k < row % 23; ++k) {
            col.push_back((row * 7 + k * 11) % cols);
        }
        row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    Bcrs A;
    A.block_rows = R;
    A.block_cols = C;
    A.n_cols = cols;
    A.row_ptr = {std::span<const std::int64_t>(row_ptr), queue};
    A.col = {std::span<const std::int32_t>(col), queue};
    A.val = Buffer<float>(col.size() * R * C, queue);
    device::copy_on_device(A.val.data(), val.data(), A.val.size() * sizeof(float), queue);
    return A;
}

TEST_F(VectorGpu, Axpby) {
    expect_same(
        1e-15,
        [](Queue& queue, const Buffer<double>& x, View<double> y) { axpby(kA, x, kB, y, queue); },
        random<double>(kSize), random<double>(kSize));
    // b = 0 everywhere: the poison must vanish.
    expect_same(
        1e-6,
        [](Queue& queue, const Buffer<float>& x, View<float> y) { axpby(kB, x, {}, y, queue); },
        poison<float>(kSize), random<float>(kSize));
}

TEST_F(VectorGpu, ScaleBothWays) {
    expect_same(
        1e-7,
        [](Queue& queue, const Buffer<double>& x, View<float> y) {
            scale_to_float(kA, x, y, queue);
        },
        poison<float>(kSize), random<double>(kSize));
    expect_same(
        1e-15,
        [](Queue& queue, const Buffer<float>& x, View<double> y) {
            scale_to_double(kA, x, y, queue);
        },
        poison<double>(kSize), random<float>(kSize));
}

TEST_F(VectorGpu, TheSimpleOnes) {
    expect_same(
        1e-7,
        [](Queue& queue, const Buffer<float>& x, const Buffer<float>& w,
           const Buffer<std::int32_t>& dofs, View<float> y) {
            subtract_from(x, y, queue);
            scale_items<float>(w, y, queue);
            zero_dofs<float>(dofs, y, queue);
            zero_lane<float>(1, y, queue);
        },
        random<float>(kSize), random<float>(kSize), random<float>(kSize / kLanes),
        std::vector<std::int32_t>{0, 31, 3 * kItems - 1});
    expect_same(
        0.0, [](Queue& queue, View<double> y) { fill<double>(2.5, y, queue); },
        poison<double>(kSize));
}

TEST_F(VectorGpu, AddMixed) {
    LaneGram A;
    for (int k = 0; k < kLanes; ++k) {
        A[k] = {0.1 * k, -0.7, 0.2 * k * k, 1.0};
    }
    expect_same(
        1e-15,
        [&](Queue& queue, const Buffer<double>& x, View<double> y) { add_mixed(A, x, y, queue); },
        random<double>(kSize), random<double>(kSize));
}

TEST_F(VectorGpu, DotAndGramRepeatBitForBit) {
    std::vector<std::uint8_t> owned(kItems, 1);
    for (int item = 0; item < kItems; item += 7) {
        owned[item] = 0;
    }
    const auto x = random<double>(kSize);
    const auto y = random<double>(kSize);
    const auto of = [&](Queue& queue) {
        const Buffer<double> a(std::span<const double>(x), queue);
        const Buffer<double> b(std::span<const double>(y), queue);
        const Buffer<std::uint8_t> o(std::span<const std::uint8_t>(owned), queue);
        return std::pair(dot(a, b, 3 * kLanes, o, queue), gram(a, b, 3 * kLanes, o, queue));
    };
    const auto on_cpu = of(cpu);
    const auto on_gpu = of(gpu);
    const auto again = of(gpu);
    for (int k = 0; k < kLanes; ++k) {
        EXPECT_NEAR(on_gpu.first[k], on_cpu.first[k], 1e-10);
        EXPECT_EQ(on_gpu.first[k], again.first[k]);
        for (int lane = 0; lane < kLanes; ++lane) {
            EXPECT_NEAR(on_gpu.second[k][lane], on_cpu.second[k][lane], 1e-10);
            EXPECT_EQ(on_gpu.second[k][lane], again.second[k][lane]);
        }
    }
}

TEST_F(VectorGpu, PassesOfConjugateGradients) {
    std::vector<std::uint8_t> owned(kItems, 1);
    for (int item = 0; item < kItems; item += 7) {
        owned[item] = 0;
    }
    const LaneScalars a = {0.5, 0.0, -2.0, 1.5};
    const auto same = [](const LaneScalars& x, const LaneScalars& y) {
        for (int lane = 0; lane < kLanes; ++lane) {
            EXPECT_NEAR(x[lane], y[lane], 1e-9);
        }
    };
    std::vector<ResidualSums> residuals;
    expect_same(
        1e-15,
        [&](Queue& queue, const Buffer<std::uint8_t>& o, const Buffer<double>& b, View<double> r) {
            residuals.push_back(residual(b, r, 3 * kLanes, o, queue));
        },
        random<double>(kSize), owned, random<double>(kSize));
    same(residuals.front().bb, residuals.back().bb);
    same(residuals.front().rr, residuals.back().rr);
    std::vector<LaneScalars> updates;
    expect_same(
        1e-14,
        [&](Queue& queue, const Buffer<std::uint8_t>& o, const Buffer<double>& p,
            const Buffer<double>& Ap, const Buffer<double>& x0, View<double> r) {
            Buffer<double> x(x0.size(), queue);
            device::copy_on_device(x.data(), x0.data(), x0.size() * sizeof(double), queue);
            updates.push_back(update({a, p, Ap, x, r}, 3 * kLanes, o, queue));
            axpby(all_lanes(1.0), x, all_lanes(1.0), r, queue);
        },
        random<double>(kSize), owned, random<double>(kSize), random<double>(kSize),
        random<double>(kSize));
    same(updates.front(), updates.back());
}

TEST_F(VectorGpu, BlockRowsOfAllShapes) {
    for (const auto& [R, C] : {std::pair{3, 3}, {3, 6}, {6, 3}, {6, 6}}) {
        constexpr std::int32_t kRows = 1003;
        constexpr std::int32_t kCols = 517;
        for (const bool add : {false, true}) {
            expect_same(
                1e-6,
                [&, R = R, C = C](Queue& queue, const Buffer<float>& val, const Buffer<float>& x,
                                  View<float> y) {
                    bcrs_apply(rows_of_all_lengths(R, C, kRows, kCols, val, queue), x, y, add,
                               queue);
                    queue.synchronize();
                },
                add ? random<float>(kRows * R * kLanes) : poison<float>(kRows * R * kLanes),
                random<float>(std::size_t(kRows) * 22 * R * C), random<float>(kCols * C * kLanes));
        }
    }
}

TEST_F(VectorGpu, ResidualsAndChebyshevStepsOfRows) {
    constexpr std::int32_t kRows = 1003;
    for (const int R : {3, 6}) {
        const auto size = std::size_t(kRows) * R * kLanes;
        const auto val = random<float>(std::size_t(kRows) * 22 * R * R);
        expect_same(
            1e-6,
            [&](Queue& queue, const Buffer<float>& v, const Buffer<float>& b,
                const Buffer<float>& x, View<float> r) {
                bcrs_residual(rows_of_all_lengths(R, R, kRows, kRows, v, queue), b, x, r, queue);
                queue.synchronize();
            },
            poison<float>(size), val, random<float>(size), random<float>(size));
        for (const Previous previous : {Previous::None, Previous::Zero, Previous::Given}) {
            expect_same(
                1e-6,
                [&](Queue& queue, const Buffer<float>& v, const Buffer<float>& D,
                    const Buffer<float>& b, const Buffer<float>& x, View<float> next) {
                    bcrs_chebyshev_step(rows_of_all_lengths(R, R, kRows, kRows, v, queue), 0.4F,
                                        1.3F, previous, D, b, x, next, queue);
                    queue.synchronize();
                },
                previous == Previous::Given ? random<float>(size) : poison<float>(size), val,
                random<float>(std::size_t(kRows) * R * R), random<float>(size),
                random<float>(size));
        }
    }
}

TEST_F(VectorGpu, BlockDiagonalAndChebyshev) {
    for (const int R : {3, 6}) {
        const std::size_t size = std::size_t(kItems) * R * kLanes;
        const auto D = random<float>(std::size_t(kItems) * R * R);
        expect_same(
            1e-6,
            [&](Queue& queue, const Buffer<float>& d, const Buffer<float>& x, View<float> y) {
                block_diagonal_apply(R, 0.7F, d, x, y, queue);
            },
            poison<float>(size), D, random<float>(size));
        for (const Previous previous : {Previous::None, Previous::Zero, Previous::Given}) {
            expect_same(
                1e-6,
                [&](Queue& queue, const Buffer<float>& d, const Buffer<float>& b,
                    const Buffer<float>& Ax, const Buffer<float>& x, View<float> next) {
                    chebyshev_step(R, 0.4F, 1.3F, previous, d, b, Ax, x, next, queue);
                },
                previous == Previous::Given ? random<float>(size) : poison<float>(size), D,
                random<float>(size), random<float>(size), random<float>(size));
        }
    }
}

TEST_F(VectorGpu, GatherAndScatter) {
    std::vector<std::int32_t> items;
    for (std::int32_t item = 5; item < kItems; item += 13) {
        items.push_back(item);
    }
    const std::size_t packed = items.size() * 3 * kLanes;
    expect_same(
        0.0,
        [](Queue& queue, const Buffer<std::int32_t>& list, const Buffer<double>& x,
           View<double> y) { gather_items<double>(list, 3 * kLanes, x, y, queue); },
        poison<double>(packed), items, random<double>(kSize));
    expect_same(
        0.0,
        [](Queue& queue, const Buffer<std::int32_t>& list, const Buffer<float>& x, View<float> y) {
            scatter_items<float>(list, 3 * kLanes, x, y, queue);
        },
        random<float>(kSize), items, random<float>(packed));
}

TEST_F(VectorGpu, HistoryOfAPredictor) {
    expect_same(
        1e-6,
        [](Queue& queue, const Buffer<double>& du, const Buffer<double>& newest,
           View<double> before) {
            Buffer<float> x(before.size(), queue);
            keep_increment(du, newest, before, x, queue);
            axpby(all_lanes(0.3), x, all_lanes(1.0), before, queue);
        },
        random<double>(kSize), random<double>(kSize), random<double>(kSize));
    expect_same(
        1e-14,
        [](Queue& queue, const Buffer<double>& newest, const Buffer<double>& before,
           const Buffer<float>& x0, const Buffer<float>& x1, View<double> y) {
            HistorySum sum;
            sum.newest = newest.data();
            sum.before = before.data();
            sum.x[0] = x0.data();
            sum.x[1] = x1.data();
            sum.n_x = 2;
            for (int lane = 0; lane < kLanes; ++lane) {
                sum.a[lane] = 0.4 + lane;
                sum.b[lane] = 1.0 - lane;
                sum.c[0][lane] = 0.1 * lane;
                sum.c[1][lane] = -2.0;
            }
            history_sum(sum, y, queue);
        },
        poison<double>(kSize), random<double>(kSize), random<double>(kSize), random<float>(kSize),
        random<float>(kSize));
}

TEST_F(VectorGpu, SumsOfGroups) {
    // Groups of 0, 1, .. 16 items, again and again.
    std::vector<std::int32_t> ptr = {0};
    std::vector<std::int32_t> items;
    for (int group = 0; group < 501; ++group) {
        for (int k = 0; k < group % 17; ++k) {
            items.push_back((group * 37 + k * 101) % kItems);
        }
        ptr.push_back(static_cast<std::int32_t>(items.size()));
    }
    expect_same(
        0.0,
        [](Queue& queue, const Buffer<std::int32_t>& starts, const Buffer<std::int32_t>& list,
           const Buffer<float>& x, View<float> y) { sum_items<float>(starts, list, x, y, queue); },
        poison<float>((ptr.size() - 1) * 3 * kLanes), ptr, items, random<float>(kSize));
}

TEST_F(VectorGpu, OneWaitPerDotAndNoAllocation) {
    const auto host = random<double>(kSize);
    Buffer<double> x(std::span<const double>(host), gpu);
    Buffer<double> y(kSize, gpu);
    const std::size_t allocations = device::allocation_count();
    const std::size_t waits = device::cuda::synchronisation_count();
    for (int k = 0; k < 5; ++k) {
        axpby(kA, x, kB, y, gpu);
        (void)dot(x, y, 3 * kLanes, {}, gpu);
    }
    EXPECT_EQ(device::allocation_count(), allocations);
    EXPECT_EQ(device::cuda::synchronisation_count(), waits + 5);
}

}  // namespace
}  // namespace kaname::lanes::vector_gpu_test
