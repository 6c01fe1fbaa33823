// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/comm/comm.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/reporter.hpp"
#include "worker/compute/verbs.hpp"

namespace kaname::compute {

/// What comes in on standard input, one SolveCommand per line:
///   {"cmd": "pack", "id": "7", "sources": ["s00d00/dip_slip", ...]}
///   {"cmd": "cancel", "id": "7"}
/// Commands that arrive while a pack is solved wait; cancels are known at once.
class CommandQueue {
public:
    void push_line(const std::string& line);
    /// The next pack, waiting for `patience` at most.
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

/// Solves the packs that rank 0's queue names until `go_on` is false, keeping matrices between
/// them. Result events: "ready", a SessionReport, then per pack "pack", a PackReport. A command
/// that cannot be followed is a Failure event naming its id, and the next one is awaited.
/// Collective.
void serve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
           comm::Comm& comm, CommandQueue& queue, SpeedBook& book, Reporter& reporter,
           const std::function<bool()>& go_on);

}  // namespace kaname::compute
