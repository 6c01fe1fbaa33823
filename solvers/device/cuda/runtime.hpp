// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "solvers/device/queue.hpp"

/// The CUDA runtime without its headers. Builds without CUDA have every function too; those that
/// need a GPU throw Unavailable there.
namespace kaname::device::cuda {

/// Why no GPU can be used ("this build has no CUDA backend", "no CUDA driver is installed", ...);
/// empty when there is one.
[[nodiscard]] std::string unavailable_reason();
/// GPUs that this process can see; 0 when none can be used.
[[nodiscard]] int device_count();

struct DeviceInfo {
    std::string name;
    std::string uuid;  ///< "GPU-8e1f..." as nvidia-smi prints it
    int major = 0, minor = 0;
    int multiprocessors = 0;
    int clock_mhz = 0;  ///< highest clock rate of the multiprocessors
    std::size_t memory_bytes = 0, free_bytes = 0;
    std::size_t l2_bytes = 0;
    int driver_version = 0, runtime_version = 0;  ///< 13000: 13.0
};
/// Throws Unavailable.
[[nodiscard]] DeviceInfo device_info(int device);

[[nodiscard]] std::shared_ptr<Queue::Stream> make_stream(int device);
void synchronize(Queue::Stream& stream);
/// Waits of any kind that this process has made so far: a time step makes only those that it
/// states.
[[nodiscard]] std::size_t synchronisation_count();

[[nodiscard]] void* allocate(std::size_t bytes);
/// After all that this thread has queued.
void release(void* memory) noexcept;
/// Host memory that a GPU reads and writes by itself.
[[nodiscard]] void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;
void copy_to_device(void* device, const void* host, std::size_t bytes, Queue::Stream& stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, Queue::Stream& stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, Queue::Stream& stream);

}  // namespace kaname::device::cuda
