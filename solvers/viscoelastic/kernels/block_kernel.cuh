// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "solvers/device/cuda/copy_async.cuh"
#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/block_scatter.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"

namespace kaname::viscoelastic {

// All elements of a block, every lane a thread.
inline constexpr int kBlockThreads = p2::ElementBlocks::kBlockSize * lanes::kLanes;

struct BlockArrays {
    const std::int32_t* rows;  ///< BlockScatter::rows
    const std::int32_t* row;   ///< of each thread block; null: they follow each other
    std::int32_t row_words;
};

/// Staged holds for a force that reads its elements' nodes from shared memory. Such a force has
///   reader(slot, lane)    what it reads of the element beforehand
///   x                     [N][3][lanes]
template <class Force>
concept Staged = requires(const Force& force) {
    force.reader(std::int64_t(0), 0);
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool kVectorAtomics = lanes::kLanes == 4;
#else
inline constexpr bool kVectorAtomics = false;
#endif

/// *to += value by one atomic operation, where there is one.
template <int L>
__device__ void add_vector(lanes::LaneArray<float, L>* to,
                           const lanes::LaneArray<float, L>& value) {
    if constexpr (kVectorAtomics) {
        // atomicAdd of a float4 would return what was there; a reduction does not.
        asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(__cvta_generic_to_global(to)), "f"(value.v[0]), "f"(value.v[1]),
                       "f"(value.v[2]), "f"(value.v[3])
                     : "memory");
    }
}

/// Row `at` of the lists to shared memory.
__device__ inline void copy_lists(const BlockArrays& blocks, std::int64_t at, std::int32_t* lists) {
    using Words = lanes::LaneArray<std::int32_t, 4>;
    const auto* from = reinterpret_cast<const Words*>(blocks.rows + at * blocks.row_words);
    for (int k = threadIdx.x; k < blocks.row_words / 4; k += kBlockThreads) {
        device::cuda::copy_async(reinterpret_cast<Words*>(lists) + k, from + k);
    }
}

/// The numbers of a block's nodes to shared memory, three neighbours at once for each node.
template <class T>
__device__ void copy_nodes(const body::BlockRow& row, const T* x,
                           lanes::LaneArray<T, lanes::kLanes>* staged) {
    const auto* from = reinterpret_cast<const lanes::LaneArray<T, lanes::kLanes>*>(x);
    for (int k = threadIdx.x; k < 3 * row.n_nodes(); k += kBlockThreads) {
        device::cuda::copy_async(staged + k, from + std::int64_t(row.node(k / 3)) * 3 + k % 3);
    }
}

/// Sums over a block's elements to memory. Without vector atomics a thread takes one number, so
/// that neighbours add to whole sectors: FP64 by four numbers of a thread made 7e10 of them per
/// second on an H200, whatever else a kernel did.
template <bool Atomic, class T>
__device__ void add_forces(const body::BlockRow& row,
                           const lanes::LaneArray<T, lanes::kLanes>* forces, T* y) {
    constexpr int kLanes = lanes::kLanes;
    if constexpr (Atomic && !(kVectorAtomics && std::is_same_v<T, float>)) {
        constexpr int kNumbers = 3 * kLanes;
        for (int k = threadIdx.x; k < kNumbers * row.n_nodes(); k += kBlockThreads) {
            const int entry = k / kNumbers;
            const int at = k % kNumbers;
            atomicAdd(y + std::int64_t(row.node(entry)) * kNumbers + at,
                      body::gather_places(row, entry, at, forces->v, kLanes));
        }
    } else {
        for (int k = threadIdx.x; k < 3 * row.n_nodes(); k += kBlockThreads) {
            const int comp = k % 3;
            const auto sum = body::gather_places(row, k / 3, comp, forces);
            auto* to = reinterpret_cast<lanes::LaneArray<T, kLanes>*>(y) +
                       (std::int64_t(row.node(k / 3)) * 3 + comp);
            if constexpr (Atomic) {
                add_vector(to, sum);
            } else {
                *to += sum;
            }
        }
    }
}

/// Registers for four blocks of a multiprocessor in FP32 and two in FP64.
template <class T>
inline constexpr int kResidentBlocks = 4096 / int(sizeof(T)) / kBlockThreads;

/// One element block per thread block: its lists and, where forces are staged, its nodes to shared
/// memory, element forces to shared memory, then a thread for every component of each different
/// node, with all lanes. force(slot, share, f) gives the force of one element and source.
template <class T, int Group, bool Atomic, class Force>
__global__ void __launch_bounds__(kBlockThreads, kResidentBlocks<T>)
    block_kernel(Force force, BlockArrays blocks, std::int32_t first, T* y) {
    constexpr int kLanes = lanes::kLanes;
    using Numbers = lanes::LaneArray<T, kLanes>;
    extern __shared__ __align__(32) unsigned char memory[];
    auto* forces = reinterpret_cast<Numbers*>(memory);
    auto* lists = reinterpret_cast<std::int32_t*>(forces + p2::ElementBlocks::kBlockSize *
                                                               body::kElementNumbers);
    auto* staged = reinterpret_cast<Numbers*>(lists + blocks.row_words);
    const std::int64_t place = first + static_cast<std::int32_t>(blockIdx.x);
    const std::int64_t at = blocks.row != nullptr ? blocks.row[place] : place;
    copy_lists(blocks, at, lists);
    device::cuda::wait_for_copies();
    __syncthreads();
    const body::BlockRow row{lists};
    const int lane = threadIdx.x % kLanes;
    const std::int64_t slot = std::int64_t(row.first_group()) * Group + threadIdx.x / kLanes;
    const bool mine = slot < std::int64_t(row.end_group()) * Group;
    T* out = reinterpret_cast<T*>(memory) + threadIdx.x / kLanes * body::kElementStride + lane;
    const auto put = [&](const T(&f)[10][3]) {
#pragma unroll
        for (int k = 0; k < 30; ++k) {
            out[k * kLanes] = f[k / 3][k % 3];
        }
    };
    T f[10][3];
    if constexpr (Staged<Force>) {
        copy_nodes(row, force.x, staged);
        const auto reader = force.reader(mine ? slot : slot - threadIdx.x / kLanes, lane);
        device::cuda::wait_for_copies();
        __syncthreads();
        if (mine) {
            reader.force(staged, f);
            put(f);
        }
    } else if (mine) {
        force(slot, lanes::OneLane<kLanes>{lane}, f);
        put(f);
    }
    __syncthreads();
    add_forces<Atomic>(row, forces, y);
}

/// Runs the blocks of the colours [first, last) in one launch. Without atomics it must be one
/// colour; with them blocks run in spatial order where that is possible.
template <class T, int Group, bool Atomic, class Force>
void launch_blocks(const Force& force, const BlockScatter& scatter, int first, int last, T* y,
                   const char* name, device::Queue& queue) {
    constexpr std::size_t kForces =
        std::size_t(p2::ElementBlocks::kBlockSize) * body::kElementStride * sizeof(T);
    // kMost is the shared memory of the largest possible block, whose elements have no node in
    // common.
    constexpr std::size_t kMost =
        2 * kForces + std::size_t(p2::ElementBlocks::kBlockSize) * p2::kNodesPerTet10 * 10;
    const std::int32_t first_block = scatter.colour_first[first];
    const std::int32_t n_blocks = scatter.colour_first[last] - first_block;
    if (n_blocks == 0) {
        return;
    }
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [&] {
        device::cuda::check(
            cudaFuncSetAttribute(block_kernel<T, Group, Atomic, Force>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kMost),
            name);
    });
    const std::size_t staged =
        Staged<Force> ? std::size_t(scatter.most_nodes) * 3 * lanes::kLanes * sizeof(T) : 0;
    const std::size_t shared = kForces + staged + scatter.row_words * sizeof(std::int32_t);
    const bool rows_follow = Atomic && scatter.spatial(first, last);
    const BlockArrays arrays{scatter.rows.data(), rows_follow ? nullptr : scatter.row.data(),
                             scatter.row_words};
    block_kernel<T, Group, Atomic, Force>
        <<<n_blocks, kBlockThreads, shared, queue.stream().stream>>>(force, arrays, first_block, y);
    device::cuda::check(cudaGetLastError(), name);
}

/// A launch per colour of [first, last): results repeat bit for bit.
template <class T, int Group, class Force>
void launch_colours(const Force& force, const BlockScatter& scatter, int first, int last, T* y,
                    const char* name, device::Queue& queue) {
    for (int colour = first; colour < last; ++colour) {
        launch_blocks<T, Group, false>(force, scatter, colour, colour + 1, y, name, queue);
    }
}

/// All blocks of the FP64 kernels, whose elements are their own groups, in one launch.
template <class Force>
void launch_all_blocks(const Force& force, const BlockScatter& scatter, double* y, const char* name,
                       device::Queue& queue) {
    launch_blocks<double, 1, true>(
        force, scatter, 0, static_cast<int>(scatter.colour_first.size()) - 1, y, name, queue);
}

}  // namespace kaname::viscoelastic
