// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/progress.hpp"

#include <algorithm>
#include <ranges>

namespace kaname::service {
namespace {

/// What a job waits for of which nothing is being computed.
struct Waiting {
    std::string text;
    bool soon = false;  ///< a worker has its hands free
};

Waiting waiting(const Context& context, const std::vector<store::JobItem>& items) {
    const auto live = [&](store::Kind kind) {
        return std::ranges::any_of(items, [&](const store::JobItem& item) {
            return item.kind == kind && item.state == store::ItemState::Live;
        });
    };
    const std::string next = live(store::Kind::Mesh)      ? "the mesh"
                             : live(store::Kind::Solve)   ? "the next sources"
                             : live(store::Kind::Package) ? "the dataset"
                                                          : "";
    if (next.empty()) {
        return {"finishing", true};
    }
    std::int64_t n_working = 0, n_busy = 0;
    for (const store::WorkerInfo& worker : context.store.list_workers()) {
        const bool claims = !worker.lost && !worker.draining && worker.cordon.empty() &&
                            context.gpus.of(worker.spec.worker_id).not_ready.empty();
        n_working += claims ? 1 : 0;
        n_busy += claims && worker.n_running > 0 ? 1 : 0;
    }
    if (n_working == 0) {
        return {next + ": waiting for a worker to start"};
    }
    if (n_busy == n_working) {
        return {next + ": waiting, all workers are busy with other jobs"};
    }
    return {next + ": about to be handed out", true};
}

}  // namespace

v1::JobProgress progress_of(Context& context, const store::Job& job,
                            const std::vector<store::JobItem>& items) {
    const auto board = context.board.recent();
    v1::JobProgress progress;
    WorkLeft left{0.0, job.n_sources_done == job.n_sources_reused, 0.0, 0.0};
    double fresh_fraction = 0.0;
    int told = 0;  // how much the text says: most of a source that is being solved
    for (const store::JobItem& item : items) {
        if (item.state != store::ItemState::Live) {
            continue;
        }
        const auto found = board.find(item.content_key);
        const double fraction = found == board.end() ? 0.0 : found->second.fraction;
        (item.kind == store::Kind::Mesh    ? left.mesh
         : item.kind == store::Kind::Solve ? left.sources
                                           : left.package) += 1.0 - fraction;
        if (found == board.end()) {
            progress.set_waiting(progress.waiting() + 1);
            continue;
        }
        progress.set_running(progress.running() + 1);
        const bool source = item.kind == store::Kind::Solve;
        fresh_fraction += source ? fraction : 0.0;
        left.setup = left.setup && !(source && fraction > 0.0);
        const int worth = fraction >= 1.0 ? 1 : source ? 3 : 2;
        if (worth > told && !found->second.text.empty()) {
            told = worth;
            progress.set_text((source ? "" : item.label + ": ") + found->second.text);
        }
    }
    bool moves = true;
    if (told == 0) {
        const Waiting waits = waiting(context, items);
        progress.set_text(waits.text);
        moves = waits.soon || progress.running() > 0;
    }
    const auto total = static_cast<double>(job.n_sources);
    const auto done = static_cast<double>(job.n_sources_done + job.n_sources_failed);
    progress.set_fraction(total > 0 ? std::min(1.0, (done + fresh_fraction) / total) : 0.0);
    progress.set_eta_s(-1.0);
    if (const auto times = StageTimes::parse(job.estimate); times && moves) {
        const bool begun = progress.running() > 0 || job.n_sources_done > job.n_sources_reused;
        progress.set_eta_s(context.paces.eta_s(job.job_id, times->seconds(left), times->total_s(),
                                               begun, PaceBoard::Clock::now()));
    }
    return progress;
}

}  // namespace kaname::service
