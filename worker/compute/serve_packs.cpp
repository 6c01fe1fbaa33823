// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/serve_packs.hpp"

#include <sstream>

#include "solvers/base/traceparent.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/compute/solve_reports.hpp"

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

}  // namespace kaname::compute
