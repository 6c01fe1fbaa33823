// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/voxelwave/integer_element_body.hpp"
#include "solvers/voxelwave/kernels/element_forces.hpp"
#include "solvers/voxelwave/kernels/multiply_int8.cuh"

namespace kaname::voxelwave {
namespace {

constexpr int kSize = 24;
constexpr int kWarp = 32;
constexpr int kItems = 16;  ///< voxels and lanes of a warp: rows of a tensor core's product
constexpr int kOwn = 12;    ///< of an item's 48 numbers, a thread's: 4 quarter + {0, 16, 32} + 0..3
constexpr int kTiles = 3;   ///< of 8 of the 24 forces
constexpr int kThreads = 128;

/// An item as the four threads that share it see it.
struct Item {
    std::int64_t index;
    bool exists;
    int at[3];
    double kappa, ratio, largest;
    std::int64_t whole[kOwn];

    __device__ void load(const StepArgs<double>& args, std::int64_t item, std::int64_t n,
                         int quarter, double scale) {
        index = item;
        exists = item < n;
        args.place(exists ? item : 0, at);
        const double* moduli = args.moduli + 2 * args.solid(at);
        kappa = moduli[0];
        ratio = moduli[1] / moduli[0];
        double both[kOwn];
        largest = 0.0;
#pragma unroll
        for (int k = 0; k < kOwn; ++k) {
            const int number = k / 4 * 16 + 4 * quarter + k % 4;
            both[k] = exists ? body::of_both(number, ratio, strained(args, number % kSize)) : 0.0;
            largest = fmax(largest, fabs(both[k]));
        }
        for (int mask = 1; mask <= 2; mask *= 2) {
            largest = fmax(largest, __shfl_xor_sync(0xffffffffU, largest, mask));
        }
#pragma unroll
        for (int k = 0; k < kOwn; ++k) {
            whole[k] = body::whole_number(both[k], largest, scale);
        }
    }
    [[nodiscard]] __device__ double strained(const StepArgs<double>& args, int component) const {
        return args.strained(args.corner(at, component / 3, component % 3));
    }
    /// Four digits of numbers from k on, lowest byte first.
    [[nodiscard]] __device__ std::uint32_t digits(int k) {
        std::uint32_t packed = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            packed |= static_cast<std::uint32_t>(
                          static_cast<std::uint8_t>(body::take_digit(whole[k + i])))
                      << (8 * i);
        }
        return packed;
    }
};

__global__ void __launch_bounds__(kThreads)
    integer_forces_kernel(StepArgs<double> args, const std::int8_t* K, int stages, double scale,
                          std::int64_t n, double* force) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int row = lane / 4, quarter = lane % 4;
    const std::int64_t warp = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
    Item item[2];  // rows `row` and row + 8
    for (int half = 0; half < 2; ++half) {
        item[half].load(args, warp * kItems + 8 * half + row, n, quarter, scale);
    }
    // The transposed matrix, [number][force].
    std::uint32_t coefficients[kTiles][3];
#pragma unroll
    for (int k = 0; k < kTiles * 3; ++k) {
        coefficients[k / 3][k % 3] = *reinterpret_cast<const std::uint32_t*>(
            K + (k / 3 * 8 + row) * body::kNumbers + k % 3 * 16 + 4 * quarter);
    }
    std::int64_t sums[2][kTiles][4] = {};  // of low and of high digits
#pragma unroll
    for (int part = 0; part < 2; ++part) {
        for (int stage = part * body::kDigitsOfASum;
             stage < stages && stage < (part + 1) * body::kDigitsOfASum; ++stage) {
            const std::uint32_t first[4] = {item[0].digits(0), item[1].digits(0), item[0].digits(4),
                                            item[1].digits(4)};
            const std::uint32_t last[2] = {item[0].digits(8), item[1].digits(8)};
            const std::int64_t weight = std::int64_t{1}
                                        << (body::kDigitBits * (stage % body::kDigitsOfASum));
#pragma unroll
            for (int tile = 0; tile < kTiles; ++tile) {
                const std::uint32_t(&of)[3] = coefficients[tile];
                std::int32_t sum[4] = {};
                multiply_int8(sum, first, {of[0], of[1]});
                multiply_int8(sum, last, {of[2]});
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    sums[part][tile][k] += weight * sum[k];
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < kTiles * 4; ++k) {
        const Item& of = item[k % 4 / 2];
        const int component = k / 4 * 8 + 2 * quarter + k % 2;
        if (of.exists) {
            force[component * n + of.index] =
                body::integer_force(sums[0][k / 4][k % 4], sums[1][k / 4][k % 4], of.largest, scale,
                                    of.kappa / 256.0, of.ratio, of.strained(args, component));
        }
    }
}

}  // namespace

void integer_forces_cuda(const StepArgs<double>& args, const std::int8_t* K, int stages,
                         double scale, double* force, device::Queue& queue) {
    const std::int64_t n = args.shape.n_items();
    integer_forces_kernel<<<device::cuda::blocks_for(n * kWarp / kItems + kWarp, kThreads),
                            kThreads, 0, queue.stream().stream>>>(args, K, stages, scale, n, force);
    device::cuda::check(cudaGetLastError(), "integer_forces");
}

}  // namespace kaname::voxelwave
