// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "solvers/device/queue.hpp"

namespace kaname::device {

/// Many small kernels that always follow one another, queued with one launch: on a GPU a CUDA
/// graph; on the CPU, and while phases are recorded, the kernels themselves.
class Recording {
public:
    /// Memory outside that the kernels read and write: they are recorded anew when it changes.
    using Key = std::array<const void*, 2>;

    Recording();
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Queues the kernels of `body`, which must be the same each time: no waits, no allocations, no
    /// copies from or to the host. They are run once as they are (first launches load code) and
    /// recorded the next time. An exception of the body passes through and forgets the recording.
    void run(const Key& key, const std::function<void()>& body, Queue& queue);

    struct Graph;  ///< the CUDA backend's graph

private:
    std::unique_ptr<Graph> graph_;
    Key key_{};
    std::size_t n_runs_ = 0;  ///< runs with this key
};

}  // namespace kaname::device
