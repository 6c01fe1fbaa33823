// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/serve.hpp"

#include "solvers/device/threads.hpp"
#include "worker/compute/greens/forecast.hpp"
#include "worker/compute/greens/reports.hpp"
#include "worker/compute/greens/solve_log.hpp"
#include "worker/compute/serve_packs.hpp"

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
    PackObserver observer;
    observer.begin = [&](const std::vector<std::string>& ids) { log.begin(ids, facts); };
    observer.step = [&](const jobs::SolveProgress& progress) {
        report_solve(progress, reporter);
        log.step(progress);
    };
    observer.end = [&](const jobs::PackOutcome& outcome, double peak_bytes, bool whole) {
        log.end(outcome, peak_bytes, comm.size());
        if (whole && !outcome.cancelled) {
            note(&jobs::JobCosts::pack, outcome.solve_s);
        }
    };
    serve_packs(*session, observer, comm, queue, reporter, go_on);
}

}  // namespace kaname::compute
