// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/lanes/gather.hpp"
#include "solvers/lanes/gather_body.hpp"

namespace kaname::lanes {

template <class T>
void gather_items_cuda(device::View<const std::int32_t> items, int width, device::View<const T> x,
                       device::View<T> packed, device::Queue& queue) {
    device::cuda::for_each(static_cast<std::int64_t>(packed.size()),
                           body::GatherItems<T>{items.data(), width, x.data(), packed.data()},
                           "gather_items", queue);
}

template <class T>
void scatter_items_cuda(device::View<const std::int32_t> items, int width,
                        device::View<const T> packed, device::View<T> x, device::Queue& queue) {
    device::cuda::for_each(static_cast<std::int64_t>(packed.size()),
                           body::ScatterItems<T>{items.data(), width, packed.data(), x.data()},
                           "scatter_items", queue);
}

template <class T>
void sum_items_cuda(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
                    int width, device::View<const T> x, device::View<T> packed,
                    device::Queue& queue) {
    device::cuda::for_each(
        static_cast<std::int64_t>(packed.size()),
        body::SumItems<T>{ptr.data(), items.data(), width, x.data(), packed.data()}, "sum_items",
        queue);
}

template void sum_items_cuda(device::View<const std::int32_t>, device::View<const std::int32_t>,
                             int, device::View<const float>, device::View<float>, device::Queue&);
#define KANAME_INSTANTIATE(T)                                                                      \
    template void gather_items_cuda(device::View<const std::int32_t>, int, device::View<const T>,  \
                                    device::View<T>, device::Queue&);                              \
    template void scatter_items_cuda(device::View<const std::int32_t>, int, device::View<const T>, \
                                     device::View<T>, device::Queue&);
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(double)
#undef KANAME_INSTANTIATE

}  // namespace kaname::lanes
