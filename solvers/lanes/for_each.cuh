// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes {

template <class Body>
struct ShareOfThread {
    Body body;
    __device__ void operator()(std::int64_t i) const {
        using Share = typename Body::GpuShare;
        const int threads = Share::threads(numbers_of(body));
        body(i / threads, Share::of_thread(static_cast<int>(i % threads)));
    }
};

template <class Body>
void for_each_cuda(std::int64_t n, const Body& body, device::Queue& queue) {
    device::cuda::for_each(n * Body::GpuShare::threads(numbers_of(body)), ShareOfThread<Body>{body},
                           Body::kName, queue);
}

/// The GPU's instance of for_each for a body; arguments are the body's type.
#define KANAME_FOR_EACH_CUDA(...)                                              \
    template void for_each_cuda<__VA_ARGS__>(std::int64_t, const __VA_ARGS__&, \
                                             ::kaname::device::Queue&);

}  // namespace kaname::lanes
