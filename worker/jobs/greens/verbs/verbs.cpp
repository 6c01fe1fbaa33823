// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/verbs/verbs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "proto/report/report.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/build_report.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/serve_packs.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

template <class... Args>
std::string line_of(const char* format, Args... args) {
    char line[320];
    std::snprintf(line, sizeof line, format, args...);
    return line;
}

}  // namespace

std::vector<std::string> solve_facts(const jobs::GreensJob& job, const jobs::SolveSession& session,
                                     int ranks, int threads) {
    const bool steps = session.time_text().find("spectrum") == std::string::npos;
    return {program_text(),
            line_of("%d rank%s x %d thread%s, device ", ranks, ranks == 1 ? "" : "s", threads,
                    threads == 1 ? "" : "s") +
                session.device() + ", FP64 with an FP32 preconditioner",
            line_of("%lld unknowns, elements ", static_cast<long long>(session.dof())) +
                session.element() + ", gravity " + (job.buoyancy ? "buoyancy" : "none") +
                line_of(", set up in %.1f s", session.setup_s()),
            "time: " + session.time_text() + "; method " + jobs::text_of(job.solver.method) +
                (steps ? ", predictor " + jobs::text_of(job.solver.predictor) : "") +
                line_of(", tolerance %.1e, at most %d iterations", job.solver.tolerance,
                        job.solver.max_iterations)};
}

void SolveLog::begin(const std::vector<std::string>& source_ids,
                     const std::vector<std::string>& facts) {
    for (const std::string& fact : facts) {
        reporter_.log(fact);
    }
    ids_ = source_ids;
    tallies_.assign(ids_.size(), {});
    group_ = {};
    start_ = std::chrono::steady_clock::now();
}

void SolveLog::step(const jobs::SolveProgress& progress) {
    for (const jobs::SourceSolve& solve : progress.solved) {
        Tally& tally = tallies_.at(solve.source);
        ++tally.solves;
        tally.iterations += solve.iterations;
        tally.worst_residual = std::max(tally.worst_residual, solve.residual);
        if (solve.iterations > tally.most) {
            tally.most = solve.iterations;
            tally.most_at = progress.step;
        }
    }
    if (group_.steps == 0) {
        group_.first = progress.step;
        group_.least = progress.iterations;
        if (progress.solved.size() == 1 && ids_.size() > 1) {
            group_.source = ids_[progress.solved.front().source] + ": ";
        }
    }
    ++group_.steps;
    group_.last = progress.step;
    group_.of = progress.steps;
    group_.least = std::min(group_.least, progress.iterations);
    group_.most = std::max(group_.most, progress.iterations);
    group_.initial_residual = std::max(group_.initial_residual, progress.initial_residual);
    group_.residual = std::max(group_.residual, progress.residual);
    // The first solve is the largest and stands alone.
    const int per_line = (progress.steps + kMaxLines - 1) / kMaxLines;
    if (progress.step == 0 || group_.steps >= per_line || progress.step == progress.steps) {
        flush();
    }
}

void SolveLog::flush() {
    if (group_.steps == 0) {
        return;
    }
    const Group group = std::exchange(group_, {});
    std::string line =
        group.source +
        line_of(group.steps == 1 ? "step %d" : "steps %d to %d", group.first, group.last) +
        line_of(" of %d: ", group.of);
    line += group.least == group.most ? line_of("%d iterations", group.most)
                                      : line_of("%d to %d iterations", group.least, group.most);
    reporter_.log(line + line_of(", residual %.1e (began at %.1e), %.1f s", group.residual,
                                 group.initial_residual, seconds_since(start_)));
}

std::string SolveLog::tally_text(std::size_t source) const {
    const Tally& tally = tallies_[source];
    return line_of("%d solves, %lld iterations, %d at most in step %d, worst residual %.1e",
                   tally.solves, tally.iterations, tally.most, tally.most_at, tally.worst_residual);
}

void SolveLog::end(const jobs::PackOutcome& outcome, double peak_bytes, int ranks) {
    flush();
    for (const jobs::SourceOutcome& source : outcome.sources) {
        const auto at = std::ranges::find(ids_, source.id) - ids_.begin();
        reporter_.log(source.id + (source.failed ? ": failed: " + source.failure : ": done") +
                      "; " + tally_text(static_cast<std::size_t>(at)));
    }
    reporter_.log((outcome.cancelled ? "cancelled" : "solved") +
                  line_of(" after %.1f s; memory %.2f GiB at most", outcome.solve_s,
                          peak_bytes / (1024.0 * 1024.0 * 1024.0)) +
                  (ranks > 1 ? line_of(" on all %d ranks", ranks) : ""));
}

namespace {

constexpr double kWorthNoting_s = 1.0;

std::string speed_key(const jobs::Stages& stages, const jobs::GreensJob& job, int threads) {
    return stages.speed_key(job) + '@' + std::to_string(threads);
}

}  // namespace

Forecast forecast(const jobs::Stages& stages, const jobs::GreensJob& job,
                  const jobs::Preflight& found, int threads, CalibrationCache& book) {
    const jobs::Speed speed = book.find_or_measure(speed_key(stages, job, threads),
                                                   [&] { return stages.measure_speed(job); });
    const jobs::JobCosts costs = stages.costs(job, found.size(), speed);
    double most = 0.0, total = 0.0;
    const auto of = [&](const jobs::StageCost& cost, double times) {
        const CalibrationCache::Past past = book.past(cost.key);
        const double seconds = cost.seconds * past.factor;
        total += times * seconds;
        most += times * seconds * past.spread;
        return seconds;
    };
    Forecast times{of(costs.mesh, 1.0), of(costs.setup, 1.0),
                   of(costs.pack, static_cast<double>(found.packs)), of(costs.package, 1.0)};
    times.spread = most / total;
    return times;
}

void note_time(const jobs::Stages& stages, const jobs::GreensJob& job, const jobs::JobSize& size,
               int threads, jobs::StageCost jobs::JobCosts::*stage, double seconds,
               CalibrationCache& book) {
    const auto speed = book.find(speed_key(stages, job, threads));
    if (!speed) {
        return;
    }
    const jobs::JobCosts costs = stages.costs(job, size, *speed);
    const jobs::StageCost& cost = costs.*stage;
    if (cost.seconds >= kWorthNoting_s) {
        book.record(cost.key, seconds / cost.seconds);
    }
}

namespace {

using Clock = std::chrono::steady_clock;

/// Notes what a solve on processors took: GPUs have a speed of their own, which is not estimated.
void note_solve(const jobs::Stages& stages, const jobs::GreensJob& job,
                const jobs::SolveSummary& summary, int ranks, CalibrationCache& book) {
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

int preflight(const jobs::Stages& stages, const jobs::GreensJob& job, CalibrationCache& book,
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
         CalibrationCache& book, Reporter& reporter) {
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
          comm::Comm& comm, CalibrationCache& book, Reporter& reporter) {
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
            CalibrationCache& book, Reporter& reporter) {
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

void serve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
           comm::Comm& comm, CommandQueue& queue, CalibrationCache& book, Reporter& reporter,
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

using report::count;

v1::Estimate estimate_of(const jobs::Preflight& found, const Forecast& times, int threads) {
    const double solve_s = times.setup_s + static_cast<double>(found.packs) * times.pack_s;
    const double total_s = times.mesh_s + solve_s + times.package_s;
    v1::Estimate estimate = estimate_of(found);
    estimate.set_mesh_s(times.mesh_s);
    estimate.set_setup_s(times.setup_s);
    estimate.set_each_pack_s(times.pack_s);
    estimate.set_package_s(times.package_s);
    estimate.set_solve_s(solve_s);
    estimate.set_total_s(total_s);
    estimate.set_spread(times.spread);
    estimate.set_low_s(total_s / times.spread);
    estimate.set_high_s(total_s * times.spread);
    estimate.set_threads(count(threads));
    return estimate;
}

request::LoadedSpec load_stored_spec(const std::string& path, const std::string& files) {
    v1::GreensBatch batch =
        request::parse_json(request::read_text_file(path), "file '" + path + "'");
    locate_stored_files(batch, path, files);
    return request::load_batch(std::move(batch));
}

}  // namespace kaname::compute
