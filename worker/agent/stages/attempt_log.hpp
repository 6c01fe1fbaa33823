// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

#include "proto/kaname/v1/workers_service.pb.h"
#include "worker/agent/stages/holder.hpp"

namespace kaname::agent {

/// The log of one attempt at the tasks of a claim, passed on in pieces while they run.
class AttemptLog {
public:
    /// Begins with lines that name the attempt; `worker` is who makes it.
    AttemptLog(const v1::ClaimResponse& claimed, const std::string& worker, Holder& holder);

    /// A line of the program; beyond 4 MiB that were not passed on yet lines are left out, which a
    /// line says.
    void add(const std::string& line);
    /// Passes on what there is, at most once a second.
    void send();
    /// The last line, and all that is left. Before the server is told of the end: a log is read to
    /// its end and taken for complete then.
    void end(const std::string& how);

private:
    using Clock = std::chrono::steady_clock;
    void append(const std::string& line);
    void send_all(int attempts);

    Holder& holder_;
    std::string text_;             ///< not passed on yet
    std::int64_t n_left_out_ = 0;  ///< lines, since the last that was kept
    Clock::time_point begun_ = Clock::now(), sent_{};
};

}  // namespace kaname::agent
