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
    // What others wait for, then the sources, then what gathers them.
    const bool sources = std::ranges::any_of(items, &store::JobItem::source);
    const auto last = [&](const store::JobItem& item) {
        return sources ? "the dataset" : "the " + item.label;
    };
    std::string next;
    int rank = 3;
    for (const store::JobItem& item : items) {
        const int mine = item.source ? 1 : item.ordinal + 1 < std::ssize(items) ? 0 : 2;
        if (item.state == store::ItemState::Live && mine < rank) {
            rank = mine;
            next = mine == 0 ? "the " + item.label : mine == 1 ? "the next sources" : last(item);
        }
    }
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
    WorkLeftByVerb left;
    double fresh_fraction = 0.0;
    int told = 0;  // how much the text says: most of a source that is being solved
    for (const store::JobItem& item : items) {
        if (item.state != store::ItemState::Live) {
            left[item.verb].set_up |= item.state == store::ItemState::Done && !item.reused;
            continue;
        }
        const auto found = board.find(item.content_key);
        const double fraction = found == board.end() ? 0.0 : found->second.fraction;
        left[item.verb].tasks += 1.0 - fraction;
        left[item.verb].set_up |= fraction > 0.0;
        if (found == board.end()) {
            progress.set_waiting(progress.waiting() + 1);
            continue;
        }
        progress.set_running(progress.running() + 1);
        const bool source = item.source;
        fresh_fraction += source || job.n_sources == 0 ? fraction : 0.0;
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
    // What has no sources is told by all its tasks.
    const bool sources = job.n_sources > 0;
    const auto total = static_cast<double>(sources ? job.n_sources : job.n_total);
    const auto done = static_cast<double>(sources ? job.n_sources_done + job.n_sources_failed
                                                  : job.n_total - job.n_live);
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
