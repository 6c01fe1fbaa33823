// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include "solvers/device/memory.hpp"

namespace kaname::device {

class Phases;

/// Where kernels run, in order: on the CPU at once, on a GPU one after the other in a stream. One
/// queue per rank; ranks as threads may share a GPU. Copies are the same queue.
class Queue {
public:
    /// Throws Unavailable for a backend that this build or machine does not have; `device` counts
    /// the GPUs that this process can see.
    explicit Queue(Backend backend = Backend::Cpu, int device = 0);

    [[nodiscard]] Backend backend() const { return backend_; }
    /// Waits for all that was queued. Throws DeviceError with the GPU's error when something
    /// failed.
    void synchronize();

    struct Stream;  ///< the CUDA backend's stream
    [[nodiscard]] Stream& stream() { return *stream_; }

    /// From now on `recorder` takes down what is done here (phases.hpp); null: nobody does.
    void record_phases(Phases* recorder) { phases_ = recorder; }
    [[nodiscard]] Phases* phases() const { return phases_; }

private:
    Backend backend_;
    std::shared_ptr<Stream> stream_;
    Phases* phases_ = nullptr;
};

/// Copies between host memory and a queue's, in order; `to_host` has arrived when it returns.
void copy_to_device(void* device, const void* host, std::size_t bytes, Queue& queue);
void copy_to_host(void* host, const void* device, std::size_t bytes, Queue& queue);
/// Copies between two places in the queue's memory.
void copy_on_device(void* to, const void* from, std::size_t bytes, Queue& queue);

}  // namespace kaname::device

/// Calls name_cpu(args...) or name_cuda(args..., queue): the one seam between solvers and kernels.
#ifdef KANAME_HAVE_CUDA
#define KANAME_DISPATCH(queue, name, ...)                       \
    if ((queue).backend() == ::kaname::device::Backend::Cuda) { \
        name##_cuda(__VA_ARGS__, queue);                        \
    } else {                                                    \
        name##_cpu(__VA_ARGS__);                                \
    }
#else
#define KANAME_DISPATCH(queue, name, ...)                                  \
    static_cast<void>(queue); /* its constructor refuses other backends */ \
    name##_cpu(__VA_ARGS__);
#endif
