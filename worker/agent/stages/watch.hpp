// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "worker/agent/stages/pack.hpp"
#include "worker/run/events.hpp"

namespace kaname::agent {

/// The agent was asked to end; what it holds goes back.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};
/// Nobody wants the running tasks any more.
struct TasksWithdrawn : std::runtime_error {
    TasksWithdrawn() : std::runtime_error("cancelled or lost") {}
};
/// The computation itself failed; another attempt may succeed.
struct RunFailed : std::runtime_error {
    RunFailed(std::string cause, const std::string& message)
        : std::runtime_error(message), error_class(std::move(cause)) {}
    std::string error_class;  ///< "crashed", "hung"
};
/// A file that the tasks need cannot be had from the server.
struct InputMissing : std::runtime_error {
    InputMissing(const std::string& message, bool away)
        : std::runtime_error(message), server_away(away) {}
    bool server_away;  ///< it may be had later
};

/// Notices a computation that says nothing for too long: `patience`, or twenty times the median
/// interval between its reports when that is more.
class HangWatch {
public:
    using Clock = std::chrono::steady_clock;

    explicit HangWatch(std::chrono::seconds patience) : patience_(patience) { restart(); }

    void restart() { last_ = Clock::now(); }
    void heard();
    /// Throws RunFailed("hung").
    void check() const;

private:
    std::chrono::seconds patience_;
    Clock::time_point last_;
    std::vector<double> intervals_s_;  ///< the last few
};

/// Checkpoints keeps the checkpoints of a session's packs, from which later attempts go on.
class Checkpoints {
public:
    /// `folder`: on the file system of the results; gets what is on its way to the holder.
    explicit Checkpoints(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Passes on what kaname-compute wrote; its next one takes the name, not the file.
    void keep(Pack& pack, const run::Checkpoint& written);
    /// Puts the checkpoint of an earlier attempt where kaname-compute looks for it, in its work
    /// folder. Throws InputMissing when the server is away; a checkpoint that is lost is no reason
    /// to fail.
    static void offer(Pack& pack, const std::filesystem::path& work);

private:
    std::filesystem::path folder_;
    int n_kept_ = 0;
};

}  // namespace kaname::agent
