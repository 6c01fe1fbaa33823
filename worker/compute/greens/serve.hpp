// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "solvers/comm/comm.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/command_queue.hpp"
#include "worker/compute/greens/verbs.hpp"
#include "worker/compute/reporter.hpp"

namespace kaname::compute {

/// Solves the packs that rank 0's queue names until `go_on` is false, keeping matrices between
/// them. Result events: "ready", a SessionReport, then per pack "pack", a PackReport. A command
/// that cannot be followed is a Failure event naming its id, and the next one is awaited.
/// Collective.
void serve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
           comm::Comm& comm, CommandQueue& queue, SpeedBook& book, Reporter& reporter,
           const std::function<bool()>& go_on);

}  // namespace kaname::compute
