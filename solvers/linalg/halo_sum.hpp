// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/halo.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::linalg {

/// Sums of shared items for arrays in a queue's memory. On the CPU the halo itself. A GPU's values
/// of shared items are packed there and travel while kernels for other items run: from GPU to GPU
/// where the ranks' library takes their memory (Comm::takes_device_memory) and are added there,
/// else through pinned host memory. The same bits either way. T: float, double.
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
    /// Holds the data that passes from GPU to GPU. Items follow each other neighbour by neighbour.
    struct Direct {
        device::Buffer<std::int32_t> sent;         ///< local items
        device::Buffer<std::int32_t> ptr, listed;  ///< of each shared item: what is added, by rank
        std::size_t n_sent = 0;
        device::Buffer<double> out;  ///< [sent]
        device::Buffer<double> in;   ///< [shared + sent] the own values, then what comes
        std::vector<comm::Message> sends, receives;
    };
    static Direct direct_of(const comm::Halo& halo, device::Queue& queue);
    template <class T>
    void start_direct(device::View<const T> values, int width, device::Queue& queue);
    template <class T>
    std::span<T> host(int width, device::Queue& queue);

    comm::Halo* halo_;
    bool on_gpu_;
    bool direct_ = false;
    comm::Halo compact_;  ///< halo over the shared items alone
    Direct between_;
    device::Buffer<std::int32_t> shared_;
    device::Buffer<std::uint8_t> owned_;
    device::Buffer<double> packed_;  ///< grows with the widest use, as the halo's buffers
    device::HostBuffer<double> host_;
};

}  // namespace kaname::linalg
