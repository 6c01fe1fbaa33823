// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <type_traits>

#include "solvers/device/cuda/launch.cuh"
#include "solvers/voxelwave/integer_element_body.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {

#ifdef __CUDACC__

// A warp's sum [16][8] += a [16][k] b [k][8] of 8-bit integers in 32-bit ones, k = 32 or 16; those
// of a are Digit, with or without signs. Thread 4 row + quarter has, lowest byte first, a(row, 4
// quarter ..), a(row + 8, the same), for k = 32 both 16 columns on; b(4 quarter .., row), for k =
// 32 16 rows on; and sums (row, 2 quarter), (row, 2 quarter + 1) and those 8 rows on (PTX ISA,
// mma.m16n8k32 and mma.m16n8k16).

template <class Digit>
__device__ void multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[4],
                              const std::uint32_t (&b)[2]) {
    if constexpr (std::is_signed_v<Digit>) {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
}

template <class Digit>
__device__ void multiply_int8(std::int32_t (&sum)[4], const std::uint32_t (&a)[2],
                              const std::uint32_t (&b)[1]) {
    if constexpr (std::is_signed_v<Digit>) {
        asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    } else {
        asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
}

#else

using emulated::multiply_int8;  // the same digits and lanes, number by number

#endif

}  // namespace kaname::voxelwave

namespace kaname::voxelwave {
namespace {

constexpr int kSize = 24;
constexpr int kWarp = 32;
constexpr int kItems = 16;  ///< places of a warp along a row: rows of a tensor core's product
constexpr int kTiles = 3;   ///< of 8 of the 24 forces
constexpr int kOwn = 6;     ///< of an item's 24 displacements and forces, a thread's
constexpr int kThreads = 128;
constexpr int kResident = 4;  ///< blocks of a multiprocessor

/// Component of a voxel's own k of thread `quarter` of the four that share it: its edge along x,
/// from corner 2 quarter to the next. Which row and column of the product is which number is free,
/// so that a thread gets the forces of the displacements from which it makes numbers.
__device__ int own_component(int quarter, int k) {
    return 3 * (2 * quarter + k % 2) + k / 2;
}

/// Bytes of four words, lowest first: byte s of all in word s.
__device__ void transpose(std::uint32_t (&of)[4]) {
    const std::uint32_t low01 = __byte_perm(of[0], of[1], 0x5140),
                        high01 = __byte_perm(of[0], of[1], 0x7362),
                        low23 = __byte_perm(of[2], of[3], 0x5140),
                        high23 = __byte_perm(of[2], of[3], 0x7362);
    of[0] = __byte_perm(low01, low23, 0x5410);
    of[1] = __byte_perm(low01, low23, 0x7632);
    of[2] = __byte_perm(high01, high23, 0x5410);
    of[3] = __byte_perm(high01, high23, 0x7632);
}

/// An integer below 2^51 by adding it to 1.5 2^52.
__device__ double exactly(std::int64_t whole) {
    return __longlong_as_double(whole + 0x4338000000000000) - 6755399441055744.0;
}

__device__ double greater(double a, double b) {
    return a < b ? b : a;
}

/// An item as the four threads that share it see it.
struct Item {
    double kappa, ratio, unit;
    double u[kOwn];  ///< what K acts on
    /// Bytes of twelve whole numbers, of each four: [numbers][byte][of the four].
    std::uint32_t low[3][4], high[3][4];

    /// The voxel at a place of a row of voxels, which begins at `row` in a component; beyond the
    /// row's ends one without stiffness. corner: of the own components, from the voxel's first.
    __device__ void load(const StepArgs<double>& args, const std::uint16_t* solids, unsigned row,
                         int place, const unsigned (&corner)[kOwn]) {
        const int last = args.shape.row_length() - args.shape.lanes - 1;
        const bool exists = place >= 0 && place <= last;
        const int inside = place < 0 ? 0 : place > last ? last : place;
        const double* moduli = args.moduli + 2 * solids[inside / args.shape.lanes];
        const unsigned first = row + inside;
#pragma unroll
        for (int k = 0; k < kOwn; ++k) {
            u[k] = args.strained(first + corner[k]);
        }
        kappa = exists ? moduli[0] : 0.0;
        ratio = moduli[1];
    }
    __device__ void make_numbers(double scale, double per_scale) {
        double number[2 * kOwn], largest = 0.0;
#pragma unroll
        for (int k = 0; k < kOwn; ++k) {
            number[k] = body::of_both(0, ratio, u[k]);
            number[kOwn + k] = body::of_both(kSize, ratio, u[k]);
            largest = greater(largest, fabs(u[k]));
        }
        for (int mask = 1; mask <= 2; mask *= 2) {
            largest = greater(largest, __shfl_xor_sync(0xffffffffU, largest, mask));
        }
        // The largest of each kind: products are rounded in order.
        largest = greater(largest, fabs(body::of_both(kSize, ratio, largest)));
        unit = body::quotient(largest, scale, per_scale);
        const double factor = largest < 0x1p-500 ? 0x1p500 : largest > 0x1p500 ? 0x1p-500 : 1.0;
        if (factor != 1.0) {  // exact but for numbers that are 0 over the largest
            unit = largest / scale;
            largest *= factor;
#pragma unroll
            for (int k = 0; k < 2 * kOwn; ++k) {
                number[k] *= factor;
            }
        }
        const double reciprocal = largest == 0.0 ? 0.0 : 1.0 / largest;
#pragma unroll
        for (int k = 0; k < 2 * kOwn; ++k) {
            const std::int64_t whole =
                body::whole_number(body::quotient(number[k], largest, reciprocal), scale);
            low[k / 4][k % 4] = static_cast<std::uint32_t>(whole);
            high[k / 4][k % 4] = static_cast<std::uint32_t>(whole >> 32);
        }
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            transpose(low[k]);
            transpose(high[k]);
        }
    }
};

/// Counts the groups of voxels in rows that warps take one by one.
struct WarpGroups {
    unsigned lines, of_row, all;  ///< rows of voxels, groups of a row, their product
};

using Coefficients = std::uint32_t[kTiles][3];

/// sums += byte `byte` of both items' numbers times the coefficients.
template <class Digit>
__device__ void multiply_byte(const std::uint32_t (&a)[3][4], const std::uint32_t (&b)[3][4],
                              int byte, const Coefficients& of, std::int32_t (&sums)[kTiles][4]) {
    const std::uint32_t first[4] = {a[0][byte], b[0][byte], a[1][byte], b[1][byte]};
    const std::uint32_t last[2] = {a[2][byte], b[2][byte]};
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
        multiply_int8<Digit>(sums[tile], first, {of[tile][0], of[tile][1]});
        multiply_int8<Digit>(sums[tile], last, {of[tile][2]});
    }
}

/// Sums of a word of the numbers times the coefficients, exactly: two bytes meet in a sum of 32
/// bits. Upper is signed in the word with the sign.
template <class Upper>
__device__ void multiply_word(const std::uint32_t (&a)[3][4], const std::uint32_t (&b)[3][4],
                              const Coefficients& of, double (&sums)[kTiles][4]) {
    std::int32_t pair[2][kTiles][4] = {};
    multiply_byte<Upper>(a, b, 3, of, pair[1]);
    multiply_byte<std::uint8_t>(a, b, 1, of, pair[0]);
#pragma unroll
    for (int k = 0; k < 2 * kTiles * 4; ++k) {
        pair[k / 12][k % 12 / 4][k % 4] *= 256;
    }
    multiply_byte<std::uint8_t>(a, b, 2, of, pair[1]);
    multiply_byte<std::uint8_t>(a, b, 0, of, pair[0]);
#pragma unroll
    for (int k = 0; k < kTiles * 4; ++k) {
        sums[k / 4][k % 4] =
            exactly(std::int64_t{65536} * pair[1][k / 4][k % 4] + pair[0][k / 4][k % 4]);
    }
}

/// Wide: numbers have more than the 28 bits and the sign that are in one word.
template <bool Wide>
__global__ void __launch_bounds__(kThreads, kResident)
    integer_forces_kernel(StepArgs<double> args, const std::int8_t* K, double scale,
                          WarpGroups groups, double* force) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int row = lane / 4, quarter = lane % 4;
    unsigned corner[kOwn];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
        const int component = own_component(quarter, k);
        corner[k] = static_cast<unsigned>(args.corner({0, 0, 0}, component / 3, component % 3));
    }
    // The transposed matrix, [number][force]; a tile has a component of all corners.
    Coefficients coefficients = {};
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int k = 0; k < 2 * kOwn; ++k) {
            const int number = own_component(quarter, k % kOwn) + k / kOwn * kSize;
            const auto byte =
                static_cast<std::uint8_t>(K[(3 * row + tile) * body::kNumbers + number]);
            coefficients[tile][k / 4] |= static_cast<std::uint32_t>(byte) << (8 * (k % 4));
        }
    }
    const double per_scale = 1.0 / scale;
    const int lanes = args.shape.lanes, row_length = args.shape.row_length();
    const unsigned ny = args.shape.nodes[1] - 1, nx = args.shape.nodes[0] - 1;
    const unsigned warps = gridDim.x * (kThreads / kWarp);
    for (unsigned group = (blockIdx.x * kThreads + threadIdx.x) / kWarp; group < groups.all;
         group += warps) {
        const unsigned line = group / groups.of_row, z = line / ny, y = line - z * ny;
        // The first places of a group only bring what the next ones need.
        const int place =
            static_cast<int>(group - line * groups.of_row) * (kItems - lanes) - lanes + row;
        const auto first = static_cast<unsigned>(args.shape.at(0, z, y, 0));
        Item item[2];  // places `place` and place + 8
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            item[half].load(args, args.solid_of + line * nx, first, place + 8 * half, corner);
        }
        item[0].make_numbers(scale, per_scale);
        item[1].make_numbers(scale, per_scale);
        double sums[kTiles][4];
        if constexpr (Wide) {
            double lower[kTiles][4];
            multiply_word<std::int8_t>(item[0].high, item[1].high, coefficients, sums);
            multiply_word<std::uint8_t>(item[0].low, item[1].low, coefficients, lower);
#pragma unroll
            for (int k = 0; k < kTiles * 4; ++k) {
                sums[k / 4][k % 4] = fma(4294967296.0, sums[k / 4][k % 4], lower[k / 4][k % 4]);
            }
        } else {
            multiply_word<std::int8_t>(item[0].low, item[1].low, coefficients, sums);
        }
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            double of[2][2], left[2];  // [place][end of the edge]; the voxel before's at this node
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const Item& by = item[k / 2];
                of[k / 2][k % 2] = body::integer_force(sums[c][k], by.unit, by.kappa / 256.0,
                                                       by.ratio, by.u[2 * c + k % 2]);
            }
            const int before = ((row - lanes) % 8 + 8) % 8 * 4 + quarter;
            left[0] = __shfl_sync(0xffffffffU, of[0][1], before);
            left[1] = __shfl_sync(0xffffffffU, of[1][1], before);
            if (row < lanes) {
                left[1] = left[0];
            }
#pragma unroll
            for (int half = 0; half < 2; ++half) {  // the sum is of rounded forces
                const int node = place + 8 * half;
                if (row + 8 * half >= lanes && node < row_length) {
                    force[(std::int64_t(3 * quarter + c) * groups.lines + line) * row_length +
                          node] = __dadd_rn(of[half][0], left[half]);
                }
            }
        }
    }
}

}  // namespace

void integer_forces_cuda(const StepArgs<double>& args, const std::int8_t* K, int stages,
                         double scale, double* force, device::Queue& queue) {
    const FieldShape& shape = args.shape;
    WarpGroups groups{};
    groups.lines = static_cast<unsigned>(shape.voxel_rows());
    groups.of_row =
        static_cast<unsigned>(device::cuda::blocks_for(shape.row_length(), kItems - shape.lanes));
    groups.all = groups.lines * groups.of_row;
    const std::int64_t needed = device::cuda::blocks_for(groups.all, kThreads / kWarp),
                       resident = std::int64_t(queue.stream().multiprocessors) * kResident;
    const std::int64_t blocks = needed < resident ? needed : resident;
    if (stages <= 4) {
        integer_forces_kernel<false>
            <<<blocks, kThreads, 0, queue.stream().stream>>>(args, K, scale, groups, force);
    } else {
        integer_forces_kernel<true>
            <<<blocks, kThreads, 0, queue.stream().stream>>>(args, K, scale, groups, force);
    }
    device::cuda::check(cudaGetLastError(), "integer_forces");
}

}  // namespace kaname::voxelwave
