// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/gather.hpp"

#include "solvers/kernels/gather_body.hpp"

namespace kaname::kernels {

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
void gather_items_cpu(device::View<const std::int32_t> items, int width, device::View<const T> x,
                      device::View<T> packed) {
    const body::GatherItems<T> body{items.data(), width, x.data(), packed.data()};
    for (std::size_t i = 0; i < packed.size(); ++i) {
        body(static_cast<std::int64_t>(i));
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

#define KANAME_INSTANTIATE(T)                                                                 \
    template void gather_items(device::View<const std::int32_t>, int, device::View<const T>,  \
                               device::View<T>, device::Queue&);                              \
    template void scatter_items(device::View<const std::int32_t>, int, device::View<const T>, \
                                device::View<T>, device::Queue&);
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(double)
#undef KANAME_INSTANTIATE

}  // namespace kaname::kernels
