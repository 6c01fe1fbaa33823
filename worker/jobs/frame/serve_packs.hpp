// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::compute {

/// Called on rank 0 while packs are solved: what a physics writes to their logs.
struct PackObserver {
    std::function<void(const std::vector<std::string>& ids)> begin;
    std::function<void(const jobs::SolveProgress&)> step;
    /// `peak_bytes`: memory of all ranks; `whole`: from its first step on.
    std::function<void(const jobs::PackOutcome&, double peak_bytes, bool whole)> end;
};

/// Solves the packs that rank 0's queue names until `go_on` is false. Result events: "ready", a
/// SessionReport, then per pack "pack", a PackReport. A command that cannot be followed is a
/// Failure event naming its id, and the next one is awaited. Collective.
void serve_packs(jobs::SolveSession& session, const PackObserver& observer, comm::Comm& comm,
                 CommandQueue& queue, Reporter& reporter, const std::function<bool()>& go_on);

/// Ids of the pack's sources.
[[nodiscard]] std::vector<std::string> ids_of(const jobs::SolveProgress& progress);

/// A step of a pack: `text` of its progress, and what became of its checkpoint.
void report_step(const jobs::SolveProgress& progress, const std::string& text, Reporter& reporter);

/// The functions below return findings and outcomes of sources as the messages that verbs report,
/// whatever the physics.

/// Returns the estimate without times.
[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found);

[[nodiscard]] v1::SolveReport report_of(const jobs::SolveSummary& summary, int ranks);
[[nodiscard]] v1::SessionReport report_of(const jobs::SolveSession& session);
/// `id`: of the command.
[[nodiscard]] v1::PackReport report_of(const std::string& id, const jobs::PackOutcome& outcome);
[[nodiscard]] v1::PackageReport report_of(const jobs::PackageSummary& summary,
                                          const std::string& dataset);

}  // namespace kaname::compute
