// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/frame/calibration_cache.hpp"
#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/stage/pack_frame.hpp"

/// Serves the verbs preflight, mesh, solve and package of all kinds that have packs.
namespace kaname::compute {

/// PackSolve holds a physics for solving packs, once or as a session.
struct PackSolve {
    jobs::OpenSession open;
    jobs::Observe observe;
    /// The sources that are to be solved; a session does not ask.
    std::function<jobs::Unsolved()> unsolved;
    std::string setting_up = "setting up";  ///< text of progress until the session is open
};

/// Solves all sources that have no result, and reports a SolveReport. Returns kExitSomeFailed when
/// a source failed. Collective.
int solve_once(const PackSolve& solve, comm::Comm& comm, Reporter& reporter);
/// Solves the packs that rank 0's queue names until `go_on` is false. Result events: "ready", a
/// SessionReport, then per pack "pack", a PackReport. A command that cannot be followed is a
/// Failure event naming its id, and the next one is awaited. Collective.
void serve_packs(const PackSolve& solve, comm::Comm& comm, CommandQueue& queue, Reporter& reporter,
                 const std::function<bool()>& go_on);
/// Solves in the way that the call asks for. Returns the exit code.
int solve_packs(const PackSolve& solve, const Call& call, Runtime& runtime);

/// Where the call's solve runs, with its device probed.
[[nodiscard]] jobs::Placement placement_of(const Call& call, Runtime& runtime);

/// "kaname-compute 0.1.0, commit 0123456789ab, 2 ranks x 4 threads"
[[nodiscard]] std::string program_facts(int ranks);

/// Ids of the pack's sources.
[[nodiscard]] std::vector<std::string> ids_of(const jobs::SolveProgress& progress);

/// A step of a pack: `text` of its progress, and what became of its checkpoint.
void report_step(const jobs::SolveProgress& progress, const std::string& text, Reporter& reporter);

/// Makes a mesh by `mesh`, with `out` as its file, and reports it. Returns the exit code.
int make_mesh(const std::function<jobs::MeshSummary(const jobs::MeshProgress&)>& mesh,
              const std::string& out, Reporter& reporter);

/// Forecast holds the time [s] that a job's stages are expected to take on this machine. A job
/// takes mesh_s + setup_s + packs pack_s + package_s, within a factor of `spread` either way.
struct Forecast {
    double mesh_s = 0.0, setup_s = 0.0, pack_s = 0.0, package_s = 0.0;
    double spread = 1.0;
};
/// Returns the findings of preflight, before anything is computed, as the message that it reports.
[[nodiscard]] v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times);

/// Logs and reports a dataset that was written to `out`. `what`: the dataset's contents, `extent`
/// their size, `times` how long the stage took; empty: not told. Returns kExitSomeFailed when a
/// source failed or is missing.
int report_package(const jobs::PackageSummary& summary, const std::string& what,
                   const std::string& extent, const std::string& out, Reporter& reporter,
                   const std::string& times = "");

}  // namespace kaname::compute
