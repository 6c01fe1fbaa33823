// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "solvers/comm/halo.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/device/host_buffer.hpp"

namespace kaname::linalg {

/// Sums of shared items for arrays in a queue's memory. On the CPU the halo itself; a GPU's values
/// of shared items are packed there, travel through pinned host memory while kernels for other
/// items run, and are written back. T: float, double.
class HaloSum {
public:
    /// `halo` outlives this. One sum at a time, as with the halo.
    HaloSum(comm::Halo& halo, device::Queue& queue);

    template <class T>
    void sum_start(device::View<const T> values, int width, device::Queue& queue);
    template <class T>
    void sum_finish(device::View<T> values, int width, device::Queue& queue);
    template <class T>
    void sum(device::View<T> values, int width, device::Queue& queue) {
        sum_start(device::View<const T>(values), width, queue);
        sum_finish(values, width, queue);
    }
    /// Halo::owned_mask in the queue's memory; empty: all are owned.
    [[nodiscard]] device::View<const std::uint8_t> owned() const {
        return on_gpu_ ? owned_.view() : device::View<const std::uint8_t>(halo_->owned_mask());
    }

private:
    template <class T>
    device::View<T> packed(int width, device::Queue& queue);
    template <class T>
    std::span<T> host(int width, device::Queue& queue);

    comm::Halo* halo_;
    bool on_gpu_;
    comm::Halo compact_;  ///< halo over the shared items alone
    device::Buffer<std::int32_t> shared_;
    device::Buffer<std::uint8_t> owned_;
    device::Buffer<double> packed_;  ///< grows with the widest use, as the halo's buffers
    device::HostBuffer<double> host_;
};

}  // namespace kaname::linalg
