// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/serve.hpp"

#include "solvers/base/traceparent.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/compute/greens/forecast.hpp"
#include "worker/compute/greens/reports.hpp"
#include "worker/compute/greens/solve_log.hpp"

namespace kaname::compute {

void serve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
           comm::Comm& comm, CommandQueue& queue, SpeedBook& book, Reporter& reporter,
           const std::function<bool()>& go_on) {
    const bool first = comm.rank() == 0;
    if (first) {
        reporter.progress("solve", 0.0, "setting up");
    }
    const auto session = stages.open(job, paths.mesh, paths.work, comm);
    if (first) {
        reporter.result("ready", report_of(*session));
    }
    const std::vector<std::string> facts =
        solve_facts(job, *session, comm.size(), device::max_threads());
    // GPUs have a speed of their own, which is not estimated.
    const auto note = [&](jobs::StageCost jobs::JobCosts::*stage, double seconds) {
        if (first && session->device() == "cpu") {
            note_time(stages, job, {.dof = session->dof(), .effort = session->effort()},
                      comm.size() * device::max_threads(), stage, seconds, book);
        }
    };
    note(&jobs::JobCosts::setup, session->setup_s());
    SolveLog log(reporter);
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
            log.begin(ids, facts);
        }
        bool whole = true;
        try {
            const jobs::PackOutcome outcome =
                session->solve(ids, [&](const jobs::SolveProgress& progress) {
                    whole = whole && progress.resumed_step <= 0;
                    report_solve(progress, reporter);
                    log.step(progress);
                    return !queue.cancelled(command->id());
                });
            const double peak_bytes = comm.sum(jobs::peak_bytes());
            if (first) {
                log.end(outcome, peak_bytes, comm.size());
                if (whole && !outcome.cancelled) {
                    note(&jobs::JobCosts::pack, outcome.solve_s);
                }
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
