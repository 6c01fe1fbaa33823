// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/serve_packs.hpp"

#include <algorithm>
#include <sstream>

#include "proto/report/report.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/frame/probe.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using report::count;

v1::SolveReport report_of(const jobs::SolveSummary& summary, int ranks) {
    v1::SolveReport report;
    report.set_dof(count(summary.dof));
    report.set_ranks(count(ranks));
    report.set_device(summary.device);
    report.set_sources_done(count(summary.sources_done));
    report.set_sources_failed(count(summary.sources_failed));
    report.set_sources_reused(count(summary.sources_reused));
    report.set_solve_s(summary.solve_s);
    report.set_setup_s(summary.setup_s);
    report.set_mean_iterations(summary.mean_iterations);
    report.set_resumed_step(summary.resumed_step);
    report.mutable_warnings()->Assign(summary.warnings.begin(), summary.warnings.end());
    report.set_peak_bytes(summary.peak_bytes);
    return report;
}

v1::SessionReport report_of(const jobs::SolveSession& session) {
    v1::SessionReport report;
    report.set_dof(count(session.dof()));
    report.set_setup_s(session.setup_s());
    report.set_device(session.device());
    return report;
}

v1::PackReport report_of(const std::string& id, const jobs::PackOutcome& outcome) {
    v1::PackReport report;
    report.set_id(id);
    report.set_cancelled(outcome.cancelled);
    for (const jobs::SourceOutcome& solved : outcome.sources) {
        v1::PackReport::Source& source = *report.add_sources();
        source.set_id(solved.id);
        source.set_file(solved.file);
        source.set_failed(solved.failed);
        source.set_failure(solved.failure);
    }
    report.set_iterations(count(outcome.iterations));
    report.set_n_solves(count(outcome.solves));
    report.set_solve_s(outcome.solve_s);
    return report;
}

v1::PackageReport report_of(const jobs::PackageSummary& summary, const std::string& dataset) {
    v1::PackageReport report;
    report.set_dataset(dataset);
    report.set_sources_done(count(summary.sources_done));
    report.set_sources_failed(count(summary.sources_failed));
    report.set_sources_missing(count(summary.sources_missing));
    report.set_epochs(count(summary.epochs));
    report.set_stations(count(summary.stations));
    report.mutable_warnings()->Assign(summary.warnings.begin(), summary.warnings.end());
    report.set_max_displacement_m(summary.max_displacement_m);
    return report;
}

}  // namespace

std::vector<std::string> ids_of(const jobs::SolveProgress& progress) {
    std::vector<std::string> ids;
    std::istringstream text(progress.source_ids);
    for (std::string id; std::getline(text, id, ',');) {
        ids.push_back(id);
    }
    return ids;
}

void report_step(const jobs::SolveProgress& progress, const std::string& text, Reporter& reporter) {
    for (const std::string& warning : progress.warnings) {
        reporter.log("warning: " + warning);
    }
    if (progress.resumed_step > 0) {
        reporter.log("resumed at step " + std::to_string(progress.resumed_step) + " of " +
                     std::to_string(progress.steps) + ": " + progress.source_ids);
    }
    if (!progress.checkpoint.empty()) {
        reporter.checkpoint({progress.step, progress.checkpoint, ids_of(progress)});
    }
    reporter.progress("solve", progress.fraction, text);
}

jobs::Placement placement_of(const Call& call, Runtime& runtime) {
    const jobs::Placement placement{choice_from<jobs::DeviceChoice>(call.device, "device"),
                                    runtime.local_rank};
    probe_rank(placement, runtime.gpu);
    return placement;
}

std::string program_facts(int ranks) {
    return program_text() + ", " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
           " x " + std::to_string(device::max_threads()) + " threads";
}

int solve_once(const PackSolve& solve, comm::Comm& comm, Reporter& reporter) {
    const bool first = comm.rank() == 0;
    if (first) {
        reporter.progress("solve", 0.0, solve.setting_up);
    }
    const jobs::SolveSummary summary =
        jobs::solve_unsolved(solve.unsolved(), solve.open, comm, solve.observe);
    if (first) {
        reporter.log(std::to_string(summary.sources_done) + " sources solved, " +
                     std::to_string(summary.sources_failed) + " failed, " +
                     std::to_string(summary.sources_reused) + " were there; device " +
                     (summary.device.empty() ? "none" : summary.device) + ", memory " +
                     gib(summary.peak_bytes) + " at most");
        reporter.progress("solve", 1.0, "done");
        reporter.result("solve", report_of(summary, comm.size()));
    }
    return summary.sources_failed > 0 ? run::kExitSomeFailed : run::kExitOk;
}

void serve_packs(const PackSolve& solve, comm::Comm& comm, CommandQueue& queue, Reporter& reporter,
                 const std::function<bool()>& go_on) {
    const bool first = comm.rank() == 0;
    if (first) {
        reporter.progress("solve", 0.0, solve.setting_up);
    }
    const auto session = solve.open();
    if (first) {
        reporter.result("ready", report_of(*session));
    }
    const jobs::PackObserver observer = solve.observe(*session);
    while (go_on()) {
        const auto command = next_on_all(comm, queue);
        if (!command) {
            continue;
        }
        const std::vector<std::string> ids(command->sources().begin(), command->sources().end());
        const auto refuse = [&](const std::string& why) {
            if (first) {
                reporter.failure(
                    {ErrorCode::InvalidArgument, "pack " + command->id() + ": " + why, {}});
            }
        };
        if (!command->fault().empty()) {
            refuse(command->fault());
            continue;
        }
        if (first) {
            reporter.restart();
            if (!command->traceparent().empty()) {
                reporter.log("trace " + trace_id_of(command->traceparent()));
            }
        }
        try {
            const jobs::PackOutcome outcome = jobs::solve_pack(
                *session, ids, comm, observer, [&] { return queue.cancelled(command->id()); });
            if (first) {
                reporter.result("pack", report_of(command->id(), outcome));
            }
        } catch (const Error& error) {
            // Bad ids are the same on all ranks and nothing was begun; what else fails ends the
            // session, whose state is then unknown.
            if (error.code() != ErrorCode::InvalidArgument) {
                throw;
            }
            refuse(error.what());
        }
    }
}

int solve_packs(const PackSolve& solve, const Call& call, Runtime& runtime) {
    if (!call.serve) {
        return solve_once(solve, runtime.comm, runtime.reporter);
    }
    serve_packs(solve, runtime.comm, runtime.commands, runtime.reporter, [] { return true; });
    return run::kExitOk;
}

int make_mesh(const std::function<jobs::MeshSummary(const jobs::MeshProgress&)>& mesh,
              const std::string& out, Reporter& reporter) {
    reporter.progress("mesh", 0.0, "starting");
    PhaseTimes times;
    times.enter("setting up");
    const jobs::MeshSummary summary = mesh([&](double fraction, const std::string& stage) {
        times.enter(stage);
        reporter.progress("mesh", fraction, stage);
    });
    return report_mesh(summary, times.text(), out, reporter);
}

v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times) {
    v1::Estimate estimate;
    estimate.set_vertices(count(found.vertices));
    estimate.set_tets(count(found.tets));
    estimate.set_dof(count(found.dof));
    estimate.set_sources(count(found.sources));
    estimate.set_packs(count(found.packs));
    estimate.set_stations(count(found.stations));
    estimate.set_steps(count(found.steps));
    estimate.set_epochs(count(found.epochs));
    estimate.set_method(found.method);
    estimate.set_first_step_s(found.step_s);
    estimate.set_longest_step_s(found.longest_step_s);
    estimate.set_end_s(found.end_s);
    estimate.set_shortest_relaxation_time_s(found.shortest_relaxation_time_s);
    estimate.set_solve_bytes(found.solve_bytes);
    estimate.set_gpu_bytes(found.gpu_bytes);
    estimate.set_available_bytes(found.available_bytes);
    estimate.set_dataset_bytes(found.dataset_bytes);
    estimate.set_surface_bytes(found.surface_bytes);
    estimate.set_surface_stored(found.surface_stored);
    estimate.mutable_warnings()->Assign(found.warnings.begin(), found.warnings.end());
    estimate.mutable_notes()->Assign(found.notes.begin(), found.notes.end());
    const double solve_s = times.setup_s + static_cast<double>(found.packs) * times.pack_s;
    const double total_s = times.mesh_s + solve_s + times.package_s;
    estimate.set_mesh_s(times.mesh_s);
    estimate.set_setup_s(times.setup_s);
    estimate.set_each_pack_s(times.pack_s);
    estimate.set_package_s(times.package_s);
    estimate.set_solve_s(solve_s);
    estimate.set_total_s(total_s);
    estimate.set_spread(times.spread);
    estimate.set_low_s(total_s / times.spread);
    estimate.set_high_s(total_s * times.spread);
    estimate.set_threads(count(device::max_threads()));
    return estimate;
}

int report_package(const jobs::PackageSummary& summary, const std::string& what,
                   const std::string& extent, const std::string& out, Reporter& reporter,
                   const std::string& times) {
    reporter.log(what + ": " + std::to_string(summary.sources_done) + " sources done, " +
                 std::to_string(summary.sources_failed) + " failed, " +
                 std::to_string(summary.sources_missing) + " missing; " + extent);
    for (const std::string& lack : summary.lacks) {
        reporter.log("lacks " + lack);
    }
    for (const std::string& warning : summary.warnings) {
        reporter.log("warning: " + warning);
    }
    if (!times.empty()) {
        reporter.log("time: " + times + "; memory " + gib(jobs::peak_bytes()) + " at most");
    }
    reporter.progress("package", 1.0, "done");
    reporter.result("package", report_of(summary, out));
    const bool complete = summary.sources_failed == 0 && summary.sources_missing == 0;
    return complete ? run::kExitOk : run::kExitSomeFailed;
}

}  // namespace kaname::compute
