// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/events.hpp"
#include "worker/run/process.hpp"

namespace kaname::run {

/// A session's program ended by itself; the message has its last lines.
class SessionEnded : public Error {
public:
    explicit SessionEnded(const std::string& message) : Error(ErrorCode::Internal, message) {}
};

/// A verb of kaname-compute that goes on: commands go in, an answer to each comes out. One thread
/// uses it at a time; the program dies with the thread that started it.
class ComputeSession {
public:
    ComputeSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   Ranks ranks = 1, const ResourceLimits& limits = {},
                   const std::string& traceparent = {});
    /// The end of standard input ends the program; one that does not hear is terminated.
    ~ComputeSession();
    ComputeSession(const ComputeSession&) = delete;
    ComputeSession& operator=(const ComputeSession&) = delete;

    /// One line. That a program no longer reads is noticed by next().
    void send(const std::string& command);
    /// The next Result or Failure; all other events go to `on_event`. `check` is called a few times
    /// per second, and what it throws leaves next(). Throws SessionEnded.
    [[nodiscard]] Event next(const std::function<void(const Event&)>& on_event,
                             const std::function<void()>& check);

private:
    [[noreturn]] void throw_ended();

    std::string verb_;
    Process child_;
    std::deque<Event> answers_;     ///< that came with one read and wait for their turn
    std::deque<std::string> tail_;  ///< last lines that are no events
};

}  // namespace kaname::run
