// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/jobs/greens/pack_runner.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// The checkpoint of a work folder: one file, of the pack that is being solved.
[[nodiscard]] std::string checkpoint_path(const std::string& work_dir);
/// The sources of the checkpoint in a work folder, in the order of their pack; none when there is
/// no checkpoint that can be read.
[[nodiscard]] std::vector<std::string> checkpoint_sources(const std::string& work_dir);

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

/// Writes and reads the checkpoint of a work folder. A checkpoint that does not belong to the pack,
/// or is damaged, is passed over with a warning, and so is one that cannot be written: neither
/// ends a solve.
class Checkpoints {
public:
    Checkpoints(const GreensJob& job, const std::string& work_dir, comm::Comm& comm);

    /// After runner.start(): takes back the state and what was recorded so far, when the checkpoint
    /// holds all of these sources. True: the runner goes on from it; else, where `touched` is set,
    /// it must be started anew. Collective.
    bool resume(PackRunner& runner, std::vector<io::SourceResult>& results, SolveProgress& report,
                bool& touched);
    /// Writes when it is time to. Collective.
    void write_if_due(PackRunner& runner, const std::vector<io::SourceResult>& results,
                      SolveProgress& report);
    /// Removes the checkpoint of a pack that has ended. Collective.
    void remove();

private:
    struct Found;
    [[nodiscard]] Found look(const std::vector<io::SourceResult>& results, SolveProgress& report);

    const CheckpointOptions& options_;
    std::string version_, path_;
    comm::Comm& comm_;
    CheckpointClock clock_;
    bool warned_ = false;
};

}  // namespace kaname::jobs
