// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/gather.hpp"

#include <algorithm>
#include <functional>

#include "solvers/lanes/gather_body.hpp"

namespace kaname::lanes {

template <class T>
void gather_items(device::View<const std::int32_t> items, int width, device::View<const T> x,
                  device::View<T> packed, device::Queue& queue) {
    KANAME_DISPATCH(queue, gather_items, items, width, x, packed)
}

template <class T>
void scatter_items(device::View<const std::int32_t> items, int width, device::View<const T> packed,
                   device::View<T> x, device::Queue& queue) {
    KANAME_DISPATCH(queue, scatter_items, items, width, packed, x)
}

template <class T>
void sum_items(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
               int width, device::View<const T> x, device::View<T> packed, device::Queue& queue) {
    KANAME_DISPATCH(queue, sum_items, ptr, items, width, x, packed)
}

template <class T>
void gather_items_cpu(device::View<const std::int32_t> items, int width, device::View<const T> x,
                      device::View<T> packed) {
    const auto n = static_cast<std::int64_t>(items.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t item = 0; item < n; ++item) {
        std::copy_n(x.data() + std::size_t(items[item]) * width, width,
                    packed.data() + item * width);
    }
}

template <class T>
void scatter_items_cpu(device::View<const std::int32_t> items, int width,
                       device::View<const T> packed, device::View<T> x) {
    const body::ScatterItems<T> body{items.data(), width, packed.data(), x.data()};
    for (std::size_t i = 0; i < packed.size(); ++i) {
        body(static_cast<std::int64_t>(i));
    }
}

template <class T>
void sum_items_cpu(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
                   int width, device::View<const T> x, device::View<T> packed) {
    const auto groups = static_cast<std::int64_t>(ptr.size()) - 1;
#pragma omp parallel for schedule(static)
    for (std::int64_t group = 0; group < groups; ++group) {
        T* sum = packed.data() + group * width;
        std::fill_n(sum, width, T(0));
        for (std::int32_t k = ptr[group]; k < ptr[group + 1]; ++k) {
            const T* item = x.data() + std::size_t(items[k]) * width;
            std::transform(sum, sum + width, item, sum, std::plus<>());
        }
    }
}

template void sum_items(device::View<const std::int32_t>, device::View<const std::int32_t>, int,
                        device::View<const float>, device::View<float>, device::Queue&);
#define KANAME_INSTANTIATE(T)                                                                 \
    template void gather_items(device::View<const std::int32_t>, int, device::View<const T>,  \
                               device::View<T>, device::Queue&);                              \
    template void scatter_items(device::View<const std::int32_t>, int, device::View<const T>, \
                                device::View<T>, device::Queue&);
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(double)
#undef KANAME_INSTANTIATE

}  // namespace kaname::lanes
