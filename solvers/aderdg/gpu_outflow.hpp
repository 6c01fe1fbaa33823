// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/gpu_faults.hpp"
#include "solvers/aderdg/outflow.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::aderdg {

/// Outflow of a rank whose elements are on a GPU.
class GpuOutflow {
public:
    GpuOutflow(const EngineSetup& setup, device::Queue& queue)
        : queue_(queue),
          modes_(face_modes(setup.params.order - 1)),
          lanes_(setup.lanes),
          host_(setup),
          outlets_(std::span<const Outlet>(host_.outlets()), queue),
          mass_(device::copied(host_.mass(), queue)) {}

    /// Queues a step of blocks whose traces are written; ranges that follow one another are one
    /// launch.
    template <class T>
    void add(std::span<const BlockRange> ranges, const T* records) {
        std::int64_t from = 0, to = 0;
        const auto launch = [&] {
            outflow_cuda(outlets_.data(), from, to, mass_.data(), modes_, lanes_, records, queue_);
        };
        for (const BlockRange& range : ranges) {
            if (host_.first()[range.begin] != to) {
                launch();
                from = host_.first()[range.begin];
            }
            to = host_.first()[range.end];
        }
        launch();
    }
    /// As Outflow.
    [[nodiscard]] std::vector<double> energies(std::vector<std::int64_t>& numbers) {
        device::download<Outlet>(outlets_, host_.outlets(), queue_);
        return host_.energies(numbers);
    }
    void set_energies(std::span<const double> energy_j) {
        host_.set_energies(energy_j);
        device::upload<Outlet>(host_.outlets(), outlets_, queue_);
    }

private:
    device::Queue& queue_;
    int modes_, lanes_;
    Outflow host_;
    device::Buffer<Outlet> outlets_;
    device::Buffer<double> mass_;
};

}  // namespace kaname::aderdg
