// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "solvers/device/queue.hpp"
#include "solvers/jobs/spec/solver_spec.hpp"

namespace kaname::jobs {

/// Index of the GPU that a rank of this machine takes: ranks share them in turn.
[[nodiscard]] int gpu_of_rank(int local_rank, int n_gpus);

/// The queue of a placement. auto takes a GPU where there is one. Throws Unavailable
/// for cuda where there is no GPU.
[[nodiscard]] device::Queue choose_queue(const Placement& placement);

/// "cpu" or "cuda: NVIDIA H200 (GPU-...)" of the queue that choose_queue gave.
[[nodiscard]] std::string device_text(const Placement& placement, const device::Queue& queue);

/// The checkpoint of a work folder: one file, of the pack that is being solved.
[[nodiscard]] std::string checkpoint_path(const std::string& work_dir);

/// When to write: never more often than costs a twentieth of the time, nor than the shortest
/// interval.
class CheckpointClock {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr double kShortest_s = 60.0;
    static constexpr double kWriteTimes = 20.0;

    /// interval_s: in place of both rules; 0: after every step.
    explicit CheckpointClock(std::optional<double> interval_s) : interval_s_(interval_s) {}
    void restart(Clock::time_point now) { last_ = now; }
    [[nodiscard]] bool due(Clock::time_point now) const;
    void wrote(Clock::time_point begin, Clock::time_point end);

private:
    std::optional<double> interval_s_;
    Clock::time_point last_{};
    double write_s_ = 0.0;
};

}  // namespace kaname::jobs
