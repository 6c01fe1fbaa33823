// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/solve_log.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "worker/compute/build_report.hpp"
#include "worker/compute/phase_times.hpp"

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

}  // namespace kaname::compute
