// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/queue.hpp"
#include "solvers/kernels/all_lanes.hpp"

namespace kaname::kernels {

/// Items for which waking the other threads costs more than they save.
inline constexpr std::int64_t kFewItems = 512;

template <class Body>
void for_each_cpu(std::int64_t n, Body body) {
    const AllLanes<Body::GpuShare::kLanes> share;
    // A copy per thread: what stores cannot change stays in registers.
#pragma omp parallel for schedule(static) firstprivate(body) if (n > kFewItems)
    for (std::int64_t item = 0; item < n; ++item) {
        body(item, share);
    }
}

/// In for_each.cuh: instantiated in the .cu file of the body's kernels.
template <class Body>
void for_each_cuda(std::int64_t n, const Body& body, device::Queue& queue);

/// body(item, share) for the items [0, n) in any order; see share.hpp. The body is copied: pointers
/// and numbers. Its `kName` is what errors of a launch name.
template <class Body>
void for_each(device::Queue& queue, std::int64_t n, const Body& body) {
    KANAME_DISPATCH(queue, for_each, n, body)
}

}  // namespace kaname::kernels
