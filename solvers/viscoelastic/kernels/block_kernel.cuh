// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "solvers/device/cuda/launch.cuh"
#include "solvers/device/once_per_device.hpp"
#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/block_scatter.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"

namespace kaname::viscoelastic {

// All elements of a block, every lane a thread.
inline constexpr int kBlockThreads = p2::ElementBlocks::kBlockSize * lanes::kLanes;

struct BlockArrays {
    const p2::ElementBlocks::Block* groups;
    const std::int32_t* node_ptr;
    const std::int32_t* node;
    const std::int32_t* place_ptr;
    const std::uint16_t* place;
    const std::int32_t* order;  ///< block of each thread block; null: as they are counted
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool kVectorAtomics = lanes::kLanes == 4;
#else
inline constexpr bool kVectorAtomics = false;
#endif

/// *to += value by atomics; four numbers in FP32 are one since sm_90.
template <class T, int L>
__device__ void add_atomically(lanes::LaneArray<T, L>* to, const lanes::LaneArray<T, L>& value) {
    if constexpr (kVectorAtomics && std::is_same_v<T, float>) {
        // atomicAdd of a float4 would return what was there; a reduction does not.
        asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(__cvta_generic_to_global(to)), "f"(value.v[0]), "f"(value.v[1]),
                       "f"(value.v[2]), "f"(value.v[3])
                     : "memory");
    } else {
#pragma unroll
        for (int lane = 0; lane < L; ++lane) {
            atomicAdd(&to->v[lane], value.v[lane]);
        }
    }
}

/// One element block per thread block: element forces to shared memory, then a thread for every
/// component of each different node, with all lanes. force(slot, share, f) gives the force of one
/// element and source.
template <class T, int Group, bool Atomic, class Force>
__global__ void __launch_bounds__(kBlockThreads)
    block_kernel(Force force, BlockArrays blocks, std::int32_t first_block, T* y) {
    constexpr int kLanes = lanes::kLanes;
    using Numbers = lanes::LaneArray<T, kLanes>;
    extern __shared__ __align__(32) unsigned char memory[];
    const std::int32_t block = blocks.order != nullptr
                                   ? blocks.order[blockIdx.x]
                                   : first_block + static_cast<std::int32_t>(blockIdx.x);
    const p2::ElementBlocks::Block groups = blocks.groups[block];
    const std::int64_t slot = std::int64_t(groups.begin) * Group + threadIdx.x / kLanes;
    if (slot < std::int64_t(groups.end) * Group) {
        const int lane = threadIdx.x % kLanes;
        T f[10][3];
        force(slot, lanes::OneLane<kLanes>{lane}, f);
        T* out = reinterpret_cast<T*>(memory) + threadIdx.x / kLanes * body::kElementStride + lane;
#pragma unroll
        for (int k = 0; k < 10; ++k) {
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                out[(k * 3 + c) * kLanes] = f[k][c];
            }
        }
    }
    const std::int32_t entry0 = blocks.node_ptr[block];
    const int work = (blocks.node_ptr[block + 1] - entry0) * 3;
    __syncthreads();
    const auto* forces = reinterpret_cast<const Numbers*>(memory);
    for (int k = threadIdx.x; k < work; k += kBlockThreads) {
        const std::int32_t entry = entry0 + k / 3;
        const int comp = k % 3;
        const Numbers sum = body::gather_places(blocks.place, blocks.place_ptr[entry],
                                                blocks.place_ptr[entry + 1], comp, forces);
        Numbers* out =
            reinterpret_cast<Numbers*>(y) + (std::int64_t(blocks.node[entry]) * 3 + comp);
        if constexpr (Atomic) {
            add_atomically(out, sum);
        } else {
            *out += sum;
        }
    }
}

/// Blocks of the colours [first, last) in one launch. Without atomics it must be one colour; with
/// them blocks run in spatial order where that is possible.
template <class T, int Group, bool Atomic, class Force>
void launch_blocks(const Force& force, const BlockScatter& scatter, int first, int last, T* y,
                   const char* name, device::Queue& queue) {
    constexpr std::size_t kShared =
        std::size_t(p2::ElementBlocks::kBlockSize) * body::kElementStride * sizeof(T);
    const std::int32_t first_block = scatter.colour_first[first];
    const std::int32_t n_blocks = scatter.colour_first[last] - first_block;
    if (n_blocks == 0) {
        return;
    }
    // FP64 needs more than the 48 KiB that every kernel may have.
    static device::OncePerDevice allowed;
    allowed.run(queue.stream().device, [&] {
        device::cuda::check(
            cudaFuncSetAttribute(block_kernel<T, Group, Atomic, Force>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
            name);
    });
    const BlockArrays arrays{
        scatter.groups.data(), scatter.node_ptr.data(),
        scatter.node.data(),   scatter.place_ptr.data(),
        scatter.place.data(),  Atomic ? scatter.spatial_for(first, last) : nullptr};
    block_kernel<T, Group, Atomic, Force>
        <<<n_blocks, kBlockThreads, kShared, queue.stream().stream>>>(force, arrays, first_block,
                                                                      y);
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

/// All colours of the FP64 kernels, whose elements are their own groups.
template <class Force>
void launch_all_colours(const Force& force, const BlockScatter& scatter, double* y,
                        const char* name, device::Queue& queue) {
    launch_colours<double, 1>(force, scatter, 0, static_cast<int>(scatter.colour_first.size()) - 1,
                              y, name, queue);
}

}  // namespace kaname::viscoelastic
