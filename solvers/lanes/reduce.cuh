// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/buffer.hpp"
#include "solvers/device/cuda/reduce.cuh"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes {

/// All: every item counts, and loads wait for no mask.
template <class Body, bool All>
struct SumsOfThread {
    static constexpr int kLanes = Body::GpuShare::kLanes;
    Body body;
    const std::uint8_t* owned;  ///< null where all count
    __device__ void operator()(std::int64_t at, double (&sum)[Body::kSums * kLanes]) const {
        const bool counts = All || owned[at / body.numbers()] != 0;
        if (!counts && !kStoresToo<Body>) {
            return;
        }
        LaneArray<double, kLanes> own[Body::kSums] = {};
        body(at, LaneArrays<kLanes>{}, own);
        if (!counts) {
            return;
        }
#pragma unroll
        for (int k = 0; k < Body::kSums * kLanes; ++k) {
            sum[k] += own[k / kLanes][k % kLanes];
        }
    }
};

template <class Body>
void reduce_cuda(std::int64_t n, const Body& body, device::View<const std::uint8_t> owned,
                 SumsOf<Body>& result, device::Queue& queue) {
    constexpr int kSums = Body::kSums * Body::GpuShare::kLanes;
    const auto sum = [&](const auto& items) {
        device::cuda::reduce<kSums>(n * body.numbers(), items, result.data(), Body::kName, queue);
    };
    if (owned.empty()) {
        sum(SumsOfThread<Body, true>{body, nullptr});
    } else {
        sum(SumsOfThread<Body, false>{body, owned.data()});
    }
}

/// The GPU's instance of reduce for a body; arguments are the body's type.
#define KANAME_REDUCE_CUDA(...)                                                        \
    template void reduce_cuda<__VA_ARGS__>(std::int64_t, const __VA_ARGS__&,           \
                                           ::kaname::device::View<const std::uint8_t>, \
                                           SumsOf<__VA_ARGS__>&, ::kaname::device::Queue&);

}  // namespace kaname::lanes
