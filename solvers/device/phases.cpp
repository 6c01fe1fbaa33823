// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/phases.hpp"

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/graph.hpp"

namespace kaname::device {

std::string_view to_string(Phase phase) {
    constexpr std::array<std::string_view, kPhases + 1> kNames = {
        "predictor", "load_stress", "operator_fp64", "smoother_operator", "smoother_vectors",
        "p1_below",  "coarsest",    "dots_vectors",  "waiting",           "none"};
    return kNames[static_cast<std::size_t>(phase)];
}

Work& Work::operator+=(const Work& other) {
    bytes += other.bytes;
    flop_fp32 += other.flop_fp32;
    flop_fp64 += other.flop_fp64;
    return *this;
}

void Phases::reset() {
    records_ = {};
    since_ = Clock::now();
}

Phase Phases::change(Phase phase, Queue& queue) {
    const Phase before = running_;
    if (phase != before) {
        queue.synchronize();
        const Clock::time_point now = Clock::now();
        records_[static_cast<std::size_t>(before)].seconds +=
            std::chrono::duration<double>(now - since_).count();
        since_ = now;
        running_ = phase;
    }
    return before;
}

InPhase::~InPhase() {
    try {
        change(outer_);
    } catch (const Error&) {  // a GPU's error comes again with the next call that waits
    }
}

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
