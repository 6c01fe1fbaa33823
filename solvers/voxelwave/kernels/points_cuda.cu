// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/voxelwave/kernels/step_args.hpp"

namespace kaname::voxelwave {
namespace {

/// A thread per load and component: sources have lanes of their own.
template <class T>
struct AddLoads {
    FieldShape shape;
    const PointLoad* loads;
    LoadValues values;
    T* next;

    __device__ void operator()(std::int64_t i) const {
        const int c = i % 3;
        const PointLoad& load = loads[i / 3];
        next[shape.at(c, load.node[2], load.node[1], load.node[0] * shape.lanes + load.lane)] +=
            static_cast<T>(values.of(load, c));
    }
};

/// A thread per source, receiver and component.
template <class T>
struct Record {
    FieldShape shape;
    const PointReceiver* receivers;
    std::int64_t n_receivers;
    const T* u;
    float* record;

    __device__ void operator()(std::int64_t i) const {
        const int c = i % 3, lane = static_cast<int>(i / (3 * n_receivers));
        const PointReceiver& receiver = receivers[i / 3 % n_receivers];
        double sum = 0.0;
        for (int corner = 0; corner < 8; ++corner) {
            const int* node = receiver.node[corner];
            sum += receiver.weight[corner] *
                   u[shape.at(c, node[2], node[1], node[0] * shape.lanes + lane)];
        }
        record[i] = static_cast<float>(sum);
    }
};

}  // namespace

template <class T>
void add_loads_cuda(const FieldShape& shape, const PointLoad* loads, int n,
                    const LoadValues& values, T* next, device::Queue& queue) {
    device::cuda::for_each(std::int64_t(n) * 3, AddLoads<T>{shape, loads, values, next},
                           "add_loads", queue);
}

template <class T>
void record_cuda(const FieldShape& shape, const PointReceiver* receivers, std::int64_t n_receivers,
                 int n_sources, const T* u, float* record, device::Queue& queue) {
    device::cuda::for_each(3 * n_receivers * n_sources,
                           Record<T>{shape, receivers, n_receivers, u, record}, "record", queue);
}

template void add_loads_cuda(const FieldShape&, const PointLoad*, int, const LoadValues&, double*,
                             device::Queue&);
template void add_loads_cuda(const FieldShape&, const PointLoad*, int, const LoadValues&, float*,
                             device::Queue&);
template void record_cuda(const FieldShape&, const PointReceiver*, std::int64_t, int, const double*,
                          float*, device::Queue&);
template void record_cuda(const FieldShape&, const PointReceiver*, std::int64_t, int, const float*,
                          float*, device::Queue&);

}  // namespace kaname::voxelwave
