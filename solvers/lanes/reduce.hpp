// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes {

template <class Body>
void reduce_cpu(std::int64_t n, Body body, device::View<const std::uint8_t> owned,
                SumsOf<Body>& result) {
    // Partial sums over fixed chunks, added in order: the same for any number of threads.
    constexpr std::int64_t kChunkItems = 2048;
    constexpr int L = Body::GpuShare::kLanes;
    const AllLanes<L> share;
    const std::int64_t numbers = body.numbers();
    const std::int64_t chunks = (n + kChunkItems - 1) / kChunkItems;
    std::vector<SumsOf<Body>> partial(chunks);
#pragma omp parallel for schedule(static) firstprivate(body)
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        Lanes<double, L> sum[Body::kSums] = {};
        Lanes<double, L> odd[Body::kSums] = {};
        [[maybe_unused]] Lanes<double, L> not_counted[Body::kSums] = {};
        const std::int64_t end = std::min((chunk + 1) * kChunkItems, n);
        for (std::int64_t item = chunk * kChunkItems; item < end; ++item) {
            std::int64_t at = item * numbers;
            const std::int64_t end_of_item = at + numbers;
            if (!owned.empty() && owned[item] == 0) {
                if constexpr (kStoresToo<Body>) {
                    for (; at < end_of_item; ++at) {
                        body(at, share, not_counted);
                    }
                }
                continue;
            }
            // Two sums in turn: additions to a single one would wait for each other.
            for (; at + 1 < end_of_item; at += 2) {
                body(at, share, sum);
                body(at + 1, share, odd);
            }
            if (at < end_of_item) {
                body(at, share, sum);
            }
        }
        for (int s = 0; s < Body::kSums; ++s) {
            store_lanes(partial[chunk].data() + s * L, sum[s] + odd[s]);
        }
    }
    result = {};
    for (const SumsOf<Body>& part : partial) {
        for (std::size_t k = 0; k < part.size(); ++k) {
            result[k] += part[k];
        }
    }
}

/// Defined in reduce.cuh, instantiated in the .cu file of the body's kernels.
template <class Body>
void reduce_cuda(std::int64_t n, const Body& body, device::View<const std::uint8_t> owned,
                 SumsOf<Body>& result, device::Queue& queue);

/// Sums of a body over the items [0, n) with owned[item] != 0 (all when owned is empty):
/// body(at, share, sum) adds number `at` to Body::kSums packs in FP64; an item is body.numbers()
/// numbers. A body with `kStores` is called for all items, and its sums of those not owned are
/// lost.
template <class Body>
[[nodiscard]] SumsOf<Body> reduce(device::Queue& queue, std::int64_t n, const Body& body,
                                  device::View<const std::uint8_t> owned) {
    SumsOf<Body> result{};
    KANAME_DISPATCH(queue, reduce, n, body, owned, result)
    return result;
}

}  // namespace kaname::lanes
