// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/verbs/verbs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "proto/request/form/text.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/waves_report.hpp"
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

}  // namespace

std::string text_of(const jobs::SolveProgress& progress) {
    char text[160];
    std::snprintf(text, sizeof(text), "pack %d/%d, step %d/%d, %d iterations, residual %.1e",
                  progress.pack + 1, progress.packs, progress.step, progress.steps,
                  progress.iterations, progress.residual);
    return text;
}

int preflight(const jobs::Stages& stages, const jobs::GreensJob& job, CalibrationCache& book,
              Reporter& reporter) {
    reporter.progress("preflight", 0.0, "checking geometry, memory and time");
    const jobs::Preflight found = stages.preflight(job);
    if (!found.violations.empty()) {
        throw ValidationError(found.violations);
    }
    reporter.result("preflight",
                    estimate_of(found, forecast(stages, job, found, device::max_threads(), book)));
    return run::kExitOk;
}

int mesh(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
         CalibrationCache& book, Reporter& reporter) {
    const Clock::time_point start = Clock::now();
    reporter.log(program_facts(1));
    return make_mesh(
        [&](const jobs::MeshProgress& progress) {
            jobs::MeshSummary summary = stages.mesh(job, paths.mesh, progress);
            note_time(stages, job, {.tets = summary.tets}, device::max_threads(),
                      &jobs::JobCosts::mesh, seconds_since(start), book);
            return summary;
        },
        paths.mesh, reporter);
}

PackSolve pack_solve(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
                     comm::Comm& comm, CalibrationCache& book, Reporter& reporter) {
    const auto observe = [&](const jobs::SolveSession& session) {
        const int ranks = comm.size();
        // GPUs have a speed of their own, which is not estimated.
        const auto note = [&stages, &job, &session, &book, ranks, first = comm.rank() == 0](
                              jobs::StageCost jobs::JobCosts::*stage, double seconds) {
            if (first && session.device() == "cpu") {
                note_time(stages, job, {.dof = session.dof(), .effort = session.effort()},
                          ranks * device::max_threads(), stage, seconds, book);
            }
        };
        note(&jobs::JobCosts::setup, session.setup_s());
        const auto log = std::make_shared<SolveLog>(reporter);
        jobs::PackObserver observer;
        observer.begin = [log, facts = solve_facts(job, session, ranks, device::max_threads())](
                             const std::vector<std::string>& ids) { log->begin(ids, facts); };
        observer.step = [log, &reporter](const jobs::SolveProgress& progress) {
            report_step(progress, text_of(progress), reporter);
            log->step(progress);
        };
        observer.end = [log, note, ranks](const jobs::PackOutcome& outcome, double peak_bytes,
                                          bool whole) {
            log->end(outcome, peak_bytes, ranks);
            if (whole && !outcome.cancelled) {
                note(&jobs::JobCosts::pack, outcome.solve_s);
            }
        };
        return observer;
    };
    return {[&] { return stages.open(job, paths.mesh, paths.work, comm); }, observe,
            [&] { return stages.unsolved(job, paths.mesh, paths.work); }};
}

int package(const jobs::Stages& stages, const jobs::GreensJob& job, const Paths& paths,
            CalibrationCache& book, Reporter& reporter) {
    const Clock::time_point start = Clock::now();
    reporter.log(program_facts(1));
    reporter.progress("package", 0.0, "collecting sources");
    PhaseTimes times;
    times.enter("collecting and writing");
    const jobs::PackageSummary summary = stages.package(
        job, paths.mesh, paths.work.empty() ? paths.sources : stages.find_results(job, paths.work),
        paths.only, paths.dataset);
    note_time(stages, job,
              {.tets = summary.tets,
               .sources = summary.sources_done,
               .epochs = summary.epochs,
               .stations = summary.stations},
              device::max_threads(), &jobs::JobCosts::package, seconds_since(start), book);
    return report_package(summary, "dataset",
                          std::to_string(summary.epochs) + " epochs, " +
                              std::to_string(summary.stations) + " stations",
                          paths.dataset, reporter, times.text());
}

request::LoadedBatch load_stored_batch(const std::string& path, const std::string& files) {
    v1::GreensBatch batch =
        request::parse_json(request::read_text_file(path), "file '" + path + "'");
    locate_stored_files(batch, path, files);
    return request::load_batch(std::move(batch));
}

}  // namespace kaname::compute
