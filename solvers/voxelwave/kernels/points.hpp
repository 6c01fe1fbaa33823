// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {

/// PointLoad is the load of a source on a node, which a step adds times s(t). A source's nodes are
/// all different.
struct PointLoad {
    int lane;         ///< the source's number
    int node[3];      ///< x, y, z
    double force[3];  ///< times dt^2/m [m]
};
/// Where a receiver is: the corners of its voxel and their weights.
struct PointReceiver {
    int node[8][3];
    double weight[8];
};
inline constexpr int kMostLoads = 4;
/// s(t) of each source.
struct LoadValues {
    double of[kMostLoads];
};

/// next += s(t) force: loads [n].
template <class T>
void add_loads_cuda(const FieldShape& shape, const PointLoad* loads, int n,
                    const LoadValues& values, T* next, device::Queue& queue);

/// record [sources][receivers][3] = u there [m].
template <class T>
void record_cuda(const FieldShape& shape, const PointReceiver* receivers, std::int64_t n_receivers,
                 int n_sources, const T* u, float* record, device::Queue& queue);

}  // namespace kaname::voxelwave
