// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "solvers/device/memory.hpp"
#include "solvers/device/queue.hpp"

namespace kaname::device {

/// Owner of a host array that copies of a queue go to and come from, uninitialised: pinned where
/// the queue is a GPU's, so that nothing is staged. Move-only.
template <class T>
class HostBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    HostBuffer() = default;
    HostBuffer(std::size_t size, const Queue& queue)
        : memory_(allocate_host(queue.backend(), size * sizeof(T)), Release{queue.backend()}),
          size_(size) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<T> span() const { return {static_cast<T*>(memory_.get()), size_}; }

private:
    struct Release {
        Backend backend = Backend::Cpu;
        void operator()(void* memory) const { release_host(backend, memory); }
    };
    std::unique_ptr<void, Release> memory_;
    std::size_t size_ = 0;
};

}  // namespace kaname::device
