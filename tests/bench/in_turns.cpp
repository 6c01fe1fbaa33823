// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/in_turns.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace kaname::bench {
namespace {

bool on_gpu(const device::Queue& queue) {
    return queue.backend() != device::Backend::Cpu;
}

double now_s(bool gpu) {
    if (!gpu) {
        return double(std::clock()) / CLOCKS_PER_SEC;
    }
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

}  // namespace

int steps_at_once(const device::Queue& queue) {
    return on_gpu(queue) ? 64 : 1;
}

std::map<std::string, Samples> step_in_turns(const Solvers& solvers, const device::Queue& queue) {
    constexpr int kTurns = 30;
    const bool gpu = on_gpu(queue);
    const int steps = steps_at_once(queue);
    std::map<std::string, std::vector<double>> seconds;
    for (int turn = 0; turn <= kTurns; ++turn) {
        for (const auto& [name, solver] : solvers) {
            const double start = now_s(gpu);
            solver->advance(steps);
            if (turn > 0) {  // the first warms up
                seconds[name].push_back((now_s(gpu) - start) / steps);
            }
        }
    }
    std::map<std::string, Samples> least;
    for (const auto& [name, times] : seconds) {
        least[name] = summarize(times);
        least[name].median = std::ranges::min(times);
    }
    return least;
}

}  // namespace kaname::bench
