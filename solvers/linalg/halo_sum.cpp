// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/halo_sum.hpp"

#include <algorithm>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"

namespace kaname::linalg {
namespace {

/// The first `size` numbers of a buffer that grows with its widest use.
template <class T>
device::View<T> first_of(device::Buffer<double>& buffer, std::size_t size, device::Queue& queue) {
    static_assert(sizeof(T) <= sizeof(double));
    if (buffer.size() < size) {
        buffer = device::Buffer<double>(size, queue);
    }
    return {reinterpret_cast<T*>(buffer.data()), size};
}

template <class T>
std::span<std::byte> bytes_of(const device::View<T>& view, std::size_t first, std::size_t size) {
    return std::as_writable_bytes(std::span<T>(view.data() + first, size));
}

}  // namespace

HaloSum::HaloSum(comm::Halo& halo, device::Queue& queue)
    : halo_(&halo), on_gpu_(queue.backend() == device::Backend::Cuda) {
    if (!on_gpu_) {
        return;
    }
    shared_ = {std::span(halo.shared()), queue};
    owned_ = {std::span(halo.owned_mask()), queue};
    direct_ = !halo.shared().empty() && halo.comm()->takes_device_memory();
    if (direct_) {
        between_ = direct_of(halo, queue);
    } else {
        compact_ = halo.of_shared();
    }
}

HaloSum::Direct HaloSum::direct_of(const comm::Halo& halo, device::Queue& queue) {
    const std::vector<std::int32_t>& shared = halo.shared();
    const auto n_shared = static_cast<std::int32_t>(shared.size());
    std::vector<std::int32_t> sent;
    std::vector<std::vector<std::int32_t>> added(shared.size());
    bool own = false;
    const auto add_own = [&] {
        for (std::int32_t k = 0; k < n_shared && !own; ++k) {
            added[k].push_back(k);
        }
        own = true;
    };
    Direct direct;
    for (const comm::Halo::Neighbour& neighbour : halo.neighbours()) {
        if (neighbour.rank > halo.comm()->rank()) {
            add_own();
        }
        for (const std::int32_t item : neighbour.items) {
            const auto place = std::lower_bound(shared.begin(), shared.end(), item);
            added[place - shared.begin()].push_back(n_shared +
                                                    static_cast<std::int32_t>(sent.size()));
            sent.push_back(item);
        }
        direct.sends.push_back({neighbour.rank, {}});
    }
    add_own();
    direct.receives = direct.sends;
    std::vector<std::int32_t> ptr = {0}, listed;
    for (const auto& of_item : added) {
        listed.insert(listed.end(), of_item.begin(), of_item.end());
        ptr.push_back(static_cast<std::int32_t>(listed.size()));
    }
    direct.n_sent = sent.size();
    direct.sent = {std::span<const std::int32_t>(sent), queue};
    direct.ptr = {std::span<const std::int32_t>(ptr), queue};
    direct.listed = {std::span<const std::int32_t>(listed), queue};
    return direct;
}

template <class T>
void HaloSum::start_direct(device::View<const T> values, int width, device::Queue& queue) {
    const auto out = first_of<T>(between_.out, between_.n_sent * width, queue);
    const std::size_t own = shared_.size() * width;
    const auto in = first_of<T>(between_.in, own + out.size(), queue);
    lanes::gather_items<T>(between_.sent, width, values, out, queue);
    lanes::gather_items<T>(shared_, width, values, in.first(own), queue);
    std::size_t at = 0;
    for (std::size_t k = 0; k < between_.sends.size(); ++k) {
        const std::size_t size = halo_->neighbours()[k].items.size() * width;
        between_.sends[k].data = bytes_of(out, at, size);
        between_.receives[k].data = bytes_of(in, own + at, size);
        at += size;
    }
    queue.synchronize();  // messages know no streams
    halo_->comm()->start_exchange(between_.sends, between_.receives);
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
    } else if (direct_) {
        start_direct(values, width, queue);
    } else if (shared_.size() > 0) {
        const auto to = first_of<T>(packed_, shared_.size() * width, queue);
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
    } else if (direct_) {
        halo_->comm()->finish_exchange();
        const auto in = first_of<T>(between_.in, (shared_.size() + between_.n_sent) * width, queue);
        lanes::scatter_sums<T>({shared_, between_.ptr, between_.listed, width, in, values}, queue);
    } else if (shared_.size() > 0) {
        const std::span<T> values_of_shared = host<T>(width, queue);
        compact_.sum_finish(values_of_shared, width);
        const auto from = first_of<T>(packed_, shared_.size() * width, queue);
        device::upload<T>(values_of_shared, from, queue);
        lanes::scatter_items<T>(shared_, width, from, values, queue);
    }
}

template void HaloSum::sum_start(device::View<const float>, int, device::Queue&);
template void HaloSum::sum_start(device::View<const double>, int, device::Queue&);
template void HaloSum::sum_finish(device::View<float>, int, device::Queue&);
template void HaloSum::sum_finish(device::View<double>, int, device::Queue&);

}  // namespace kaname::linalg
