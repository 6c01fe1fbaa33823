// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/lanes/lane_count.hpp"
#include "solvers/lanes/share.hpp"

namespace kaname::lanes::body {

/// Item i of the list.
template <class T, int L = kLanes>
struct GatherItems {
    static constexpr const char* kName = "gather_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    int numbers_of_item;
    const T* x;
    T* packed;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t from = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            p.store(packed, i * numbers_of_item + k, p.load(x, from + k));
        }
    }
};

template <class T, int L = kLanes>
struct ScatterItems {
    static constexpr const char* kName = "scatter_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    int numbers_of_item;
    const T* packed;
    T* x;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t to = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            p.store(x, to + k, p.load(packed, i * numbers_of_item + k));
        }
    }
};

/// Item i of the list: the sum of what is listed for it.
template <class T, int L = kLanes>
struct ScatterSums {
    static constexpr const char* kName = "scatter_sums";
    using GpuShare = OneNumber<L>;
    const std::int32_t* items;
    const std::int32_t* ptr;
    const std::int32_t* listed;
    int numbers_of_item;
    const T* packed;
    T* x;
    [[nodiscard]] KANAME_HD int numbers() const { return numbers_of_item; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        const std::int64_t to = std::int64_t(items[i]) * numbers_of_item;
        for (int k = 0; k < p.numbers(numbers_of_item); ++k) {
            PackOf<P, T> sum = p.constant(T(0));
            for (std::int32_t m = ptr[i]; m < ptr[i + 1]; ++m) {
                sum += p.load(packed, std::int64_t(listed[m]) * numbers_of_item + k);
            }
            p.store(x, to + k, sum);
        }
    }
};

/// Group i of items of three numbers.
template <class T, int L = kLanes>
struct SumItems {
    static constexpr const char* kName = "sum_items";
    using GpuShare = OneNumber<L>;
    const std::int32_t* ptr;
    const std::int32_t* items;
    const T* x;
    T* packed;
    KANAME_HD static constexpr int numbers() { return 3; }
    template <class P>
    KANAME_HD void operator()(std::int64_t i, const P& p) const {
        constexpr int n = P::numbers(3);
        PackOf<P, T> sum[n];
        for (int k = 0; k < n; ++k) {
            sum[k] = p.constant(T(0));
        }
        for (std::int32_t m = ptr[i]; m < ptr[i + 1]; ++m) {
            for (int k = 0; k < n; ++k) {
                sum[k] += p.load(x, std::int64_t(items[m]) * 3 + k);
            }
        }
        for (int k = 0; k < n; ++k) {
            p.store(packed, i * 3 + k, sum[k]);
        }
    }
};

}  // namespace kaname::lanes::body
