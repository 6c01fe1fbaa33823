// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/verbs.hpp"

#include <chrono>
#include <cstdio>

#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/compute/build_report.hpp"
#include "worker/compute/greens/forecast.hpp"
#include "worker/compute/greens/reports.hpp"
#include "worker/compute/greens/solve_log.hpp"
#include "worker/compute/phase_times.hpp"
#include "worker/compute/reports.hpp"
#include "worker/compute/serve_packs.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using Clock = std::chrono::steady_clock;

/// Notes what a solve on processors took: GPUs have a speed of their own, which is not estimated.
void note_solve(const jobs::Stages& stages, const jobs::GreensJob& job,
                const jobs::SolveSummary& summary, int ranks, SpeedBook& book) {
    if (summary.device != "cpu" || summary.resumed_step > 0 || summary.packs == 0) {
        return;
    }
    const int threads = ranks * device::max_threads();
    const jobs::JobSize size{.dof = summary.dof, .effort = summary.effort};
    note_time(stages, job, size, threads, &jobs::JobCosts::setup, summary.setup_s, book);
    note_time(stages, job, size, threads, &jobs::JobCosts::pack,
              summary.solve_s / static_cast<double>(summary.packs), book);
}

/// "kaname-compute 0.1.0, commit 0123456789ab, 2 ranks x 4 threads"
void log_program(Reporter& reporter, int ranks) {
    reporter.log(program_text() + ", " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
                 " x " + std::to_string(device::max_threads()) + " threads");
}

}  // namespace

std::string text_of(const jobs::SolveProgress& progress) {
    char text[160];
    std::snprintf(text, sizeof(text), "pack %d/%d, step %d/%d, %d iterations, residual %.1e",
                  progress.pack + 1, progress.packs, progress.step, progress.steps,
                  progress.iterations, progress.residual);
    return text;
}

void report_solve(const jobs::SolveProgress& progress, Reporter& reporter) {
    report_step(progress, text_of(progress), reporter);
}

int preflight(const jobs::Stages& stages, const jobs::GreensJob& job, SpeedBook& book,
              Reporter& reporter) {
    reporter.progress("preflight", 0.0, "checking geometry, memory and time");
    const jobs::Preflight found = stages.preflight(job);
    if (!found.violations.empty()) {
        throw ValidationError(found.violations);
    }
    const int threads = device::max_threads();
    const Forecast times = forecast(stages, job, found, threads, book);
    reporter.result("preflight", estimate_of(found, times, threads));
    return run::kExitOk;
}

int mesh(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
         SpeedBook& book, Reporter& reporter) {
    const Clock::time_point start = Clock::now();
    log_program(reporter, 1);
    reporter.progress("mesh", 0.0, "starting");
    PhaseTimes times;
    times.enter("setting up");
    const jobs::MeshSummary summary =
        stages.mesh(job, paths.mesh, [&](double fraction, const std::string& stage) {
            times.enter(stage);
            reporter.progress("mesh", fraction, stage);
        });
    note_time(stages, job, {.tets = summary.tets}, device::max_threads(), &jobs::JobCosts::mesh,
              seconds_since(start), book);
    return report_mesh(summary, times.text(), paths.mesh, reporter);
}

int solve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
          comm::Comm& comm, SpeedBook& book, Reporter& reporter) {
    const bool first = comm.rank() == 0;
    if (first) {
        log_program(reporter, comm.size());
        reporter.progress("solve", 0.0, "setting up");
    }
    SolveLog log(reporter);
    int pack = -1;
    const jobs::SolveSummary summary =
        stages.solve(job, paths.mesh, paths.work, comm, [&](const jobs::SolveProgress& progress) {
            if (progress.pack != pack) {
                pack = progress.pack;
                log.begin(ids_of(progress), {progress.source_ids + ":"});
            }
            report_solve(progress, reporter);
            log.step(progress);
        });
    if (first) {
        reporter.log(std::to_string(summary.sources_done) + " sources solved, " +
                     std::to_string(summary.sources_failed) + " failed, " +
                     std::to_string(summary.sources_reused) + " were there; device " +
                     (summary.device.empty() ? "none" : summary.device) + ", memory " +
                     gib(summary.peak_bytes) + " at most");
        note_solve(stages, job, summary, comm.size(), book);
        reporter.progress("solve", 1.0, "done");
        reporter.result("solve", report_of(summary, comm.size()));
    }
    return summary.sources_failed > 0 ? run::kExitSomeFailed : run::kExitOk;
}

int package(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
            SpeedBook& book, Reporter& reporter) {
    const Clock::time_point start = Clock::now();
    log_program(reporter, 1);
    reporter.progress("package", 0.0, "collecting sources");
    PhaseTimes times;
    times.enter("collecting and writing");
    const jobs::PackageSummary summary = stages.package(
        job, paths.mesh, paths.work.empty() ? paths.sources : stages.find_results(job, paths.work),
        paths.only, paths.dataset);
    reporter.log("dataset: " + std::to_string(summary.sources_done) + " sources done, " +
                 std::to_string(summary.sources_failed) + " failed, " +
                 std::to_string(summary.sources_missing) + " missing; " +
                 std::to_string(summary.epochs) + " epochs, " + std::to_string(summary.stations) +
                 " stations");
    for (const std::string& lack : summary.lacks) {
        reporter.log("lacks " + lack);
    }
    for (const std::string& warning : summary.warnings) {
        reporter.log("warning: " + warning);
    }
    reporter.log("time: " + times.text() + "; memory " + gib(jobs::peak_bytes()) + " at most");
    note_time(stages, job,
              {.tets = summary.tets,
               .sources = summary.sources_done,
               .epochs = summary.epochs,
               .stations = summary.stations},
              device::max_threads(), &jobs::JobCosts::package, seconds_since(start), book);
    reporter.progress("package", 1.0, "done");
    reporter.result("package", report_of(summary, paths.dataset));
    const bool complete = summary.sources_failed == 0 && summary.sources_missing == 0;
    return complete ? run::kExitOk : run::kExitSomeFailed;
}

}  // namespace kaname::compute
