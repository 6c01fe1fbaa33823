// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "solvers/device/phases.hpp"

namespace kaname::device {

struct Recording::Graph {
    Graph() = default;
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void* executable = nullptr;  ///< cudaGraphExec_t
};

}  // namespace kaname::device

namespace kaname::device::cuda {

/// The kernels that `body` queues, recorded and not run. Throws DeviceFault.
[[nodiscard]] std::unique_ptr<Recording::Graph> record(const std::function<void()>& body,
                                                       Queue& queue);
void replay(Recording::Graph& graph, Queue& queue);

}  // namespace kaname::device::cuda
