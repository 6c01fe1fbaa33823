// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kaname::agent {

/// The agent was asked to end; what it holds goes back.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};
/// Nobody wants the running tasks any more.
struct Dropped : std::runtime_error {
    Dropped() : std::runtime_error("cancelled or lost") {}
};
/// The computation itself failed; another attempt may succeed.
struct Broken : std::runtime_error {
    Broken(std::string cause, const std::string& message)
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
    /// Throws Broken("hung").
    void check() const;

private:
    std::chrono::seconds patience_;
    Clock::time_point last_;
    std::vector<double> intervals_s_;  ///< the last few
};

}  // namespace kaname::agent
