// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/halo_sum.hpp"

#include "solvers/device/phases.hpp"
#include "solvers/lanes/gather.hpp"

namespace kaname::linalg {

HaloSum::HaloSum(comm::Halo& halo, device::Queue& queue)
    : halo_(&halo), on_gpu_(queue.backend() == device::Backend::Cuda) {
    if (on_gpu_) {
        compact_ = halo.of_shared();
        shared_ = {std::span(halo.shared()), queue};
        owned_ = {std::span(halo.owned_mask()), queue};
    }
}

template <class T>
device::View<T> HaloSum::packed(int width, device::Queue& queue) {
    static_assert(sizeof(T) <= sizeof(double));
    const std::size_t size = shared_.size() * width;
    if (packed_.size() < size) {
        packed_ = device::Buffer<double>(size, queue);
    }
    return {reinterpret_cast<T*>(packed_.data()), size};
}

template <class T>
std::span<T> HaloSum::host(int width, device::Queue& queue) {
    const std::size_t size = shared_.size() * width;
    if (host_.size() < size) {
        host_ = device::HostBuffer<double>(size, queue);
    }
    return {reinterpret_cast<T*>(host_.span().data()), size};
}

template <class T>
void HaloSum::sum_start(device::View<const T> values, int width, device::Queue& queue) {
    const device::InPhase waiting(queue, device::Phase::Waiting);
    if (!on_gpu_) {
        halo_->sum_start(values, width);
    } else if (shared_.size() > 0) {
        const auto to = packed<T>(width, queue);
        lanes::gather_items<T>(shared_, width, values, to, queue);
        const std::span<T> values_of_shared = host<T>(width, queue);
        device::download<T>(to, values_of_shared, queue);
        compact_.sum_start(std::span<const T>(values_of_shared), width);
    }
}

template <class T>
void HaloSum::sum_finish(device::View<T> values, int width, device::Queue& queue) {
    const device::InPhase waiting(queue, device::Phase::Waiting);
    if (!on_gpu_) {
        halo_->sum_finish(values, width);
    } else if (shared_.size() > 0) {
        const std::span<T> values_of_shared = host<T>(width, queue);
        compact_.sum_finish(values_of_shared, width);
        const auto from = packed<T>(width, queue);
        device::upload<T>(values_of_shared, from, queue);
        lanes::scatter_items<T>(shared_, width, from, values, queue);
    }
}

template void HaloSum::sum_start(device::View<const float>, int, device::Queue&);
template void HaloSum::sum_start(device::View<const double>, int, device::Queue&);
template void HaloSum::sum_finish(device::View<float>, int, device::Queue&);
template void HaloSum::sum_finish(device::View<double>, int, device::Queue&);

}  // namespace kaname::linalg
