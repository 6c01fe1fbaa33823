// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/serve_packs.hpp"

#include <sstream>

#include "proto/report/report.hpp"
#include "solvers/base/log_line.hpp"
#include "worker/jobs/geometry/available_memory.hpp"

namespace kaname::compute {

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

void serve_packs(jobs::SolveSession& session, const PackObserver& observer, comm::Comm& comm,
                 CommandQueue& queue, Reporter& reporter, const std::function<bool()>& go_on) {
    const bool first = comm.rank() == 0;
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
            observer.begin(ids);
        }
        bool whole = true;
        try {
            const jobs::PackOutcome outcome =
                session.solve(ids, [&](const jobs::SolveProgress& progress) {
                    whole = whole && progress.resumed_step <= 0;
                    observer.step(progress);
                    return !queue.cancelled(command->id());
                });
            const double peak_bytes = comm.sum(jobs::peak_bytes());
            if (first) {
                observer.end(outcome, peak_bytes, whole);
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

using report::count;

v1::Estimate estimate_of(const jobs::Preflight& found) {
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
    return estimate;
}

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

}  // namespace kaname::compute
