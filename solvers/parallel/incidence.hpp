// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/parallel/loops.hpp"

namespace kaname {

/// The places that name each target, ascending: the transpose of a list of targets.
struct Incidence {
    std::vector<std::int64_t> first;  ///< [targets + 1] into place
    std::vector<std::int32_t> place;

    [[nodiscard]] std::span<const std::int32_t> of(std::int64_t target) const {
        return {place.data() + first[target], place.data() + first[target + 1]};
    }
};

/// target(place) for places [0, n): 0 to n_targets - 1, or negative for none.
template <class Target>
Incidence incidence(std::int64_t n, std::int64_t n_targets, const Target& target) {
    Incidence lists;
    lists.first.assign(n_targets + 1, 0);
    const bool alone = parallel_threads() == 1;
    const auto advance = [&](std::int64_t t) {
        std::int64_t& at = lists.first[t];
        return alone ? at++ : std::atomic_ref(at).fetch_add(1, std::memory_order_relaxed);
    };
    parallel_for(n, [&](std::int64_t place) {
        if (const std::int64_t t = target(place); t >= 0) {
            advance(t);
        }
    });
    lists.place.resize(exclusive_sum(std::span(lists.first)));
    parallel_for(n, [&](std::int64_t place) {
        if (const std::int64_t t = target(place); t >= 0) {
            lists.place[advance(t)] = static_cast<std::int32_t>(place);
        }
    });
    // Every start has moved to the next one's.
    std::copy_backward(lists.first.begin(), lists.first.end() - 1, lists.first.end());
    lists.first.front() = 0;
    parallel_for(alone ? 0 : n_targets, [&](std::int64_t t) {
        const auto begin = lists.place.begin() + lists.first[t];
        const auto end = lists.place.begin() + lists.first[t + 1];
        if (!std::is_sorted(begin, end)) {
            std::sort(begin, end);
        }
    });
    return lists;
}

}  // namespace kaname
