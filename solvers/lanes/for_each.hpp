// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

/// Items for which waking the other threads costs more than they save.
inline constexpr std::int64_t kFewItems = 512;

/// Numbers of all lanes that a vector has: the items of a pass over it.
template <class T>
[[nodiscard]] std::int64_t numbers_in(device::View<T> x) {
    return static_cast<std::int64_t>(x.size()) / kLanes;
}

template <int L, class Body>
void for_items(std::int64_t begin, std::int64_t end, Body body) {
    const AllLanes<L> share;
    // A copy per thread: what stores cannot change stays in registers.
#pragma omp parallel for schedule(static) firstprivate(body) if (end - begin > kFewItems)
    for (std::int64_t item = begin; item < end; ++item) {
        body(item, share);
    }
}

template <class Body>
void for_each_cpu(std::int64_t n, const Body& body) {
    constexpr int L = Body::GpuShare::kLanes;
    if constexpr (requires { Body::kAnyLanes; }) {
        constexpr int kTogether = std::max(1, kRegisterBytes / int(sizeof(double)) / L);
        for_items<L * kTogether>(0, n / kTogether, body);
        for_items<L>(n / kTogether * kTogether, n, body);
    } else {
        for_items<L>(0, n, body);
    }
}

/// Defined in for_each.cuh, instantiated in the .cu file of the body's kernels.
template <class Body>
void for_each_cuda(std::int64_t n, const Body& body, device::Queue& queue);

/// body(item, share) for the items [0, n) in any order; see share.hpp. The body is copied: pointers
/// and numbers. Its `kName` is what errors of a launch name; where it has `kAnyLanes` it does the
/// same to all lanes, items are single numbers, and the CPU may put more than one into a register.
template <class Body>
void for_each(device::Queue& queue, std::int64_t n, const Body& body) {
    KANAME_DISPATCH(queue, for_each, n, body)
}

}  // namespace kaname::lanes
