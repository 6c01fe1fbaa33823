// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/block_scatter.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"

namespace kaname::viscoelastic {

// All elements of a block, every lane a thread.
inline constexpr int kBlockThreads = p2::ElementBlocks::kBlockSize * lanes::kLanes;
inline constexpr int kNumbersOfNode = 3 * lanes::kLanes;

struct BlockArrays {
    const std::int32_t* first_group;
    const std::int32_t* node_ptr;
    const std::int32_t* node;
    const std::int32_t* place_ptr;
    const std::uint16_t* place;
};

/// One element block per thread block: element forces to shared memory, then one sum per number of
/// each different node. force(slot, share, f) gives the force of one element and source.
template <class T, int Group, bool Atomic, class Force>
__global__ void __launch_bounds__(kBlockThreads)
    block_kernel(Force force, BlockArrays blocks, std::int32_t first_block, T* y) {
    constexpr int kLanes = lanes::kLanes;
    extern __shared__ unsigned char memory[];
    T* forces = reinterpret_cast<T*>(memory);
    const std::int32_t block = first_block + blockIdx.x;
    const std::int64_t slot =
        std::int64_t(blocks.first_group[block]) * Group + threadIdx.x / kLanes;
    if (slot < std::int64_t(blocks.first_group[block + 1]) * Group) {
        const int lane = threadIdx.x % kLanes;
        T f[10][3];
        force(slot, lanes::OneLane<kLanes>{lane}, f);
        T* out = forces + threadIdx.x / kLanes * body::kElementStride + lane;
#pragma unroll
        for (int k = 0; k < 10; ++k) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                out[(k * 3 + c) * kLanes] = f[k][c];
            }
        }
    }
    __syncthreads();
    const std::int32_t entry0 = blocks.node_ptr[block];
    const std::int32_t work = (blocks.node_ptr[block + 1] - entry0) * kNumbersOfNode;
    for (std::int32_t k = threadIdx.x; k < work; k += kBlockThreads) {
        const std::int32_t entry = entry0 + k / kNumbersOfNode;
        const int number = k % kNumbersOfNode;
        const T sum = body::gather_places(blocks.place, blocks.place_ptr[entry],
                                          blocks.place_ptr[entry + 1], number, forces);
        T* out = y + std::int64_t(blocks.node[entry]) * kNumbersOfNode + number;
        if constexpr (Atomic) {
            atomicAdd(out, sum);
        } else {
            *out += sum;
        }
    }
}

/// Blocks [first, last) in one launch. Without atomics they must be of one colour.
template <class T, int Group, bool Atomic, class Force>
void launch_blocks(const Force& force, const BlockScatter& scatter, std::int32_t first,
                   std::int32_t last, T* y, const char* name, device::Queue& queue) {
    constexpr std::size_t kShared =
        std::size_t(p2::ElementBlocks::kBlockSize) * body::kElementStride * sizeof(T);
    if (first == last) {
        return;
    }
    // FP64 needs more than the 48 KiB that every kernel may have. Set each time: it belongs to the
    // current device and costs a host call.
    device::cuda::check(cudaFuncSetAttribute(block_kernel<T, Group, Atomic, Force>,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
                        name);
    const BlockArrays arrays{scatter.first_group.data(), scatter.node_ptr.data(),
                             scatter.node.data(), scatter.place_ptr.data(), scatter.place.data()};
    block_kernel<T, Group, Atomic, Force>
        <<<last - first, kBlockThreads, kShared, queue.stream().stream>>>(force, arrays, first, y);
    device::cuda::check(cudaGetLastError(), name);
}

}  // namespace kaname::viscoelastic
