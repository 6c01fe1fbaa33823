// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "solvers/voxelwave/gpu_step.hpp"
#include "solvers/voxelwave/voxel_step.hpp"

namespace kaname::bench {

/// Steps of fields in the memory of a queue's backend. `model` and `terms` outlive it.
template <class T>
class VoxelStepping {
public:
    VoxelStepping(voxelwave::Variant variant, int stages, const voxelwave::VoxelModel& model,
                  const voxelwave::StepTerms& terms, const voxelwave::NodeField<T>& u,
                  const voxelwave::NodeField<T>& before, const device::Queue& queue)
        : queue_(queue), now_(u), before_(before), next_(model.nodes(), u.lanes()) {
        if (queue.backend() == device::Backend::Cpu) {
            on_cpu_ = voxelwave::make_step<T>(variant, model, terms, u.lanes(), stages);
            return;
        }
        on_gpu_ = std::make_unique<voxelwave::GpuStep<T>>(variant, model, terms, u.lanes(), stages,
                                                          queue);
        voxelwave::NodeField<T>* host[] = {&now_, &before_, &next_};
        for (int k = 0; k < 3; ++k) {
            gpu_[k] = {std::span<const T>(host[k]->row(0, 0, 0), host[k]->bytes() / sizeof(T)),
                       queue_};
        }
    }

    /// A GPU has it only queued.
    void step() {
        if (on_cpu_) {
            on_cpu_->step(now_, before_, next_);
            std::swap(before_, now_);
            std::swap(now_, next_);
            return;
        }
        on_gpu_->step(gpu_[0], gpu_[1], gpu_[2]);
        std::swap(gpu_[1], gpu_[0]);
        std::swap(gpu_[0], gpu_[2]);
    }
    void wait() { queue_.synchronize(); }
    const voxelwave::NodeField<T>& displacement() {
        if (on_gpu_) {
            device::copy_to_host(now_.row(0, 0, 0), gpu_[0].data(), now_.bytes(), queue_);
        }
        return now_;
    }

private:
    device::Queue queue_;
    voxelwave::NodeField<T> now_, before_, next_;
    device::Buffer<T> gpu_[3];  ///< these in a GPU's memory
    std::unique_ptr<voxelwave::VoxelStep<T>> on_cpu_;
    std::unique_ptr<voxelwave::GpuStep<T>> on_gpu_;
};

}  // namespace kaname::bench
