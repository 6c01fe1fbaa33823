// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/recording.hpp"

#include "solvers/device/cuda/graph.hpp"

namespace kaname::device {

Recording::Recording() = default;
Recording::~Recording() = default;

void Recording::run(const Key& key, const std::function<void()>& body, Queue& queue) {
    if (queue.backend() == Backend::Cpu || queue.phases() != nullptr) {
        body();
        return;
    }
    if (key != key_) {
        graph_.reset();
        key_ = key;
        n_runs_ = 0;
    }
    if (n_runs_++ == 0) {
        body();
        return;
    }
    if (!graph_) {
        graph_ = cuda::record(body, queue);
    }
    cuda::replay(*graph_, queue);
}

}  // namespace kaname::device
