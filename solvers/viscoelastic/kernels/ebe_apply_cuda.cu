// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/block_kernel.cuh"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply_body.hpp"
#include "solvers/viscoelastic/kernels/ebe_slot_lane.hpp"

namespace kaname::viscoelastic {
namespace {

using lanes::kLanes;

constexpr int kGroup = 32 / kLanes;  // elements of a warp
constexpr int kThreads = kBlockThreads;
constexpr int kNumbers = 3 * kLanes;  // of a node

template <class T>
using Lane = SlotLane<T, kGroup>;

template <class T>
ElementSlots<T> slots_of(const ElementGroups<T>& elements) {
    const bool nodal = elements.pressure_conn.size() > 0;
    return {elements.conn.data(), elements.coef.data(),
            nodal ? elements.pressure_conn.data() : nullptr,
            nodal ? elements.weight.data() : nullptr};
}

/// Slots [begin, end) of the groups, one thread per lane; kThreads threads in a block.
template <class T>
__global__ void __launch_bounds__(kThreads)
    atomics_kernel(ElementSlots<T> elements, std::int64_t begin, std::int64_t end,
                   const T* __restrict__ x, const T* pressure, T* y) {
    const std::int64_t slot = begin + (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) / kLanes;
    const int lane = threadIdx.x % kLanes;
    if (slot >= end) {
        return;
    }
    T f[10][3];
    body::operator_force(Lane<T>{elements, slot, lane}, x, pressure, f);
    const std::int32_t* node = elements.nodes(slot);
#pragma unroll
    for (int k = 0; k < 10; ++k) {
        T* out = y + std::int64_t(node[k]) * kNumbers + lane;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            atomicAdd(out + c * kLanes, f[k][c]);
        }
    }
}

/// StagedReader holds what a thread reads of its element before the block's nodes are in shared
/// memory.
template <class T>
struct StagedReader {
    using V = T;
    static constexpr int kPairs = p2::kNodesPerTet10 / 2;
    T coef[ElementGroups<T>::kCoefs];
    std::uint32_t staged[kPairs];
    const T* pressures;
    Lane<T> element;

    __device__ StagedReader(const Lane<T>& lane, const std::uint32_t* pairs, const T* pressure)
        : pressures(pressure), element(lane) {
#pragma unroll
        for (int m = 0; m < ElementGroups<T>::kCoefs; ++m) {
            coef[m] = lane.coefficient(m);
        }
        const std::uint32_t* pair =
            pairs + lane.slot / kGroup * kPairs * kGroup + lane.slot % kGroup;
#pragma unroll
        for (int k = 0; k < kPairs; ++k) {
            staged[k] = pair[k * kGroup];
        }
    }
    __device__ void component(const T* x, int i, T (&u)[p2::kNodesPerTet10]) const {
#pragma unroll
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const unsigned place = k % 2 == 0 ? staged[k / 2] & 0xffffU : staged[k / 2] >> 16;
            u[k] = x[(place + i) * kLanes + element.lane];
        }
    }
    __device__ T coefficient(int m) const {
        return coef[m];
    }
    __device__ T weight() const {
        return element.weight();
    }
    __device__ T pressure(const T* p, int k) const {
        return element.pressure(p, k);
    }
    /// nodes: BlockNodes' entries in shared memory.
    __device__ void force(const lanes::LaneArray<T, kLanes>* nodes, T (&f)[10][3]) const {
        body::operator_force(*this, nodes->v, pressures, f);
    }
};

/// Forces of plain or nodal elements for launch_blocks.
template <class T>
struct ApplyForce {
    ElementSlots<T> elements;
    const std::uint32_t* staged;
    const T* x;
    const T* pressure;
    __device__ StagedReader<T> reader(std::int64_t slot, int lane) const {
        return {Lane<T>{elements, slot, lane}, staged, pressure};
    }
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    dilatation_kernel(ElementSlots<T> elements, std::int64_t begin, std::int64_t end,
                      const T* __restrict__ x, std::int32_t none, T* y) {
    const std::int64_t slot = begin + (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) / kLanes;
    const int lane = threadIdx.x % kLanes;
    if (slot >= end || elements.pressure_conn[slot * 4] == none) {
        return;
    }
    T theta[4];
    body::operator_dilatation(Lane<T>{elements, slot, lane}, x, theta);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        atomicAdd(y + std::int64_t(elements.pressure_conn[slot * 4 + k]) * kLanes + lane, theta[k]);
    }
}

/// Slots of the colours [first, last); colours follow each other.
template <class T>
std::pair<std::int64_t, std::int64_t> range_of(const ElementGroups<T>& elements, int first,
                                               int last) {
    const auto group_at = [&](int colour) {
        // The host knows the ranges of groups; the blocks lie on the GPU.
        for (; colour < static_cast<int>(elements.colours.size()); ++colour) {
            if (!elements.colours[colour].empty()) {
                return static_cast<std::int64_t>(elements.colours[colour].front().begin);
            }
        }
        return static_cast<std::int64_t>(elements.conn.size()) / (10 * kGroup);
    };
    return {group_at(first) * kGroup, group_at(last) * kGroup};
}

}  // namespace

template <class T>
void ebe_apply_cuda(const EbeApplyArgs<T>& args, device::Queue& queue) {
    const ApplyForce<T> force{slots_of(args.elements), args.elements.scatter.staged.data(),
                              args.x.data(),
                              args.pressure.empty() ? nullptr : args.pressure.data()};
    switch (args.scatter) {
        case Scatter::Atomics: {
            const auto [begin, end] = range_of(args.elements, args.first_colour, args.last_colour);
            if (begin < end) {
                atomics_kernel<T><<<device::cuda::blocks_for((end - begin) * kLanes, kThreads),
                                    kThreads, 0, queue.stream().stream>>>(
                    force.elements, begin, end, force.x, force.pressure, args.y.data());
                device::cuda::check(cudaGetLastError(), "ebe_apply");
            }
            break;
        }
        case Scatter::BlockAtomics:
            launch_blocks<T, kGroup, true>(force, args.elements.scatter, args.first_colour,
                                           args.last_colour, args.y.data(), "ebe_apply", queue);
            break;
        case Scatter::Coloured:
            launch_colours<T, kGroup>(force, args.elements.scatter, args.first_colour,
                                      args.last_colour, args.y.data(), "ebe_apply", queue);
            break;
    }
}

template <class T>
void ebe_dilatation_cuda(const EbeDilatationArgs<T>& args, device::Queue& queue) {
    const auto [begin, end] = range_of(args.elements, args.first_colour, args.last_colour);
    if (begin < end) {
        const auto none = static_cast<std::int32_t>(args.y.size() / kLanes) - 1;
        dilatation_kernel<T><<<device::cuda::blocks_for((end - begin) * kLanes, kThreads), kThreads,
                               0, queue.stream().stream>>>(slots_of(args.elements), begin, end,
                                                           args.x.data(), none, args.y.data());
        device::cuda::check(cudaGetLastError(), "ebe_dilatation");
    }
}

template void ebe_apply_cuda(const EbeApplyArgs<float>&, device::Queue&);
template void ebe_apply_cuda(const EbeApplyArgs<double>&, device::Queue&);
template void ebe_dilatation_cuda(const EbeDilatationArgs<float>&, device::Queue&);
template void ebe_dilatation_cuda(const EbeDilatationArgs<double>&, device::Queue&);

}  // namespace kaname::viscoelastic
