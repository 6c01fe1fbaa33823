// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/comm/comm.hpp"

namespace kaname::compute {

/// CommandQueue takes in the standard input of a session, one SolveCommand per line:
///   {"cmd": "pack", "id": "7", "sources": ["s00d00/dip_slip", ...]}
///   {"cmd": "cancel", "id": "7"}
/// Commands that arrive while a pack is worked on wait; cancels are known at once.
class CommandQueue {
public:
    void push_line(const std::string& line);
    /// Returns the next pack, after waiting for `patience` at most.
    [[nodiscard]] std::optional<v1::SolveCommand> next(std::chrono::milliseconds patience);
    [[nodiscard]] bool cancelled(const std::string& id);

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<v1::SolveCommand> packs_;
    std::set<std::string> cancelled_;
};

/// Feeds the queue from standard input in a thread of its own; its end ends the process at once.
void read_commands(CommandQueue& queue);

/// The next pack of rank 0's queue, on every rank; nothing where none came for a moment.
/// Collective.
[[nodiscard]] std::optional<v1::SolveCommand> next_on_all(comm::Comm& comm, CommandQueue& queue);

}  // namespace kaname::compute
