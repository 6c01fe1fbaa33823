// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/progress.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace kaname::service {
namespace {

using Board = std::map<std::string, ProgressBoard::Entry>;

/// Tells what a job waits for of which nothing is being computed.
struct Waiting {
    std::string text;
    bool soon = false;  ///< a worker has its hands free
};

/// Sources that are live: a cancel in pieces ends some of them while the job is active.
std::int64_t live_sources(const store::Job& job, const store::JobParts& parts) {
    const std::int64_t others_cancelled =
        std::ranges::count(parts.others, store::ItemState::Cancelled, &store::JobItem::state);
    return std::max<std::int64_t>(0, job.n_sources - job.n_sources_done - job.n_sources_failed -
                                         (job.n_cancelled - others_cancelled));
}

/// Returns what is computed next: what others wait for, then the sources, then what gathers them.
std::string next_stage(const store::Job& job, const store::JobParts& parts) {
    std::string last;
    for (const store::JobItem& item : parts.others) {
        if (item.state != store::ItemState::Live) {
            continue;
        }
        if (item.ordinal + 1 < job.n_total) {
            return "the " + item.label;
        }
        last = job.n_sources > 0 ? "the dataset" : "the " + item.label;
    }
    return live_sources(job, parts) > 0 ? "the next sources" : last;
}

/// Says what the batch system said where the worker jobs of a pool fail one after another.
std::string why_none_starts(const Context& context) {
    constexpr double kDay_s = 86400;
    const auto failing = store::failing_pools(context.store.list_dispatches("", kDay_s));
    if (failing.empty()) {
        return "";
    }
    const auto& [pool, n, last] = failing.back();
    const std::string job = last.native_id.empty() ? "" : "job " + last.native_id + ", ";
    return "; " +
           (n == 1 ? "the last worker job of pool " + pool + " failed: "
                   : "the last " + std::to_string(n) + " worker jobs of pool " + pool +
                         " all failed, the last: ") +
           job + last.reason;
}

Waiting waiting(const Context& context, const std::string& next) {
    if (next.empty()) {
        return {"finishing", true};
    }
    std::int64_t n_working = 0, n_busy = 0;
    for (const store::WorkerInfo& worker : context.store.list_workers()) {
        const bool claims = !worker.lost && !worker.draining && worker.cordon.empty() &&
                            context.gpus.of(worker.registered.worker_id).not_ready.empty();
        n_working += claims ? 1 : 0;
        n_busy += claims && worker.n_running > 0 ? 1 : 0;
    }
    if (n_working == 0) {
        return {next + ": waiting for a worker to start" + why_none_starts(context)};
    }
    if (n_busy == n_working) {
        return {next + ": waiting, all workers are busy with other jobs"};
    }
    return {next + ": about to be handed out", true};
}

/// Says that workers leave before there is a checkpoint; empty: none has.
std::string said_of(const store::CutOff& cut_off) {
    if (cut_off.n == 0) {
        return "";
    }
    return "; " + std::to_string(cut_off.n) + (cut_off.n == 1 ? " worker" : " workers in a row") +
           " came to the end of the time (" + std::to_string(std::lround(cut_off.time_limit_s)) +
           " s) before " + cut_off.label + " had a checkpoint, which fails after " +
           std::to_string(store::StoreOptions().max_cut_off);
}

}  // namespace

v1::JobProgress progress_of(Context& context, const store::Job& job) {
    const Board board = context.board.recent();
    std::vector<std::string> told_of;
    std::ranges::copy(std::views::keys(board), std::back_inserter(told_of));
    const store::JobParts parts = context.store.parts_of_job(job.job_id, told_of);
    v1::JobProgress progress;
    WorkLeftByVerb left;
    double fresh_fraction = 0.0;
    int told = 0;  // how much the text says: most of a source that is being solved
    const auto note_running = [&](const store::JobItem& item, const ProgressBoard::Entry& entry) {
        left[item.verb].tasks -= entry.fraction;
        left[item.verb].set_up |= entry.fraction > 0.0;
        progress.set_running(progress.running() + 1);
        progress.set_waiting(progress.waiting() - 1);
        fresh_fraction += item.source || job.n_sources == 0 ? entry.fraction : 0.0;
        const int worth = entry.fraction >= 1.0 ? 1 : item.source ? 3 : 2;
        if (worth > told && !entry.text.empty()) {
            told = worth;
            progress.set_text((item.source ? "" : item.label + ": ") + entry.text);
        }
    };
    progress.set_waiting(live_sources(job, parts));
    if (!parts.source_verb.empty()) {
        WorkLeft& of_sources = left[parts.source_verb];
        of_sources.tasks = static_cast<double>(live_sources(job, parts));
        of_sources.set_up = job.n_sources_done > job.n_sources_reused;
    }
    for (const store::JobItem& item : parts.live) {
        note_running(item, board.at(item.content_key));
    }
    for (const store::JobItem& item : parts.others) {
        if (item.state != store::ItemState::Live) {
            left[item.verb].set_up |= item.state == store::ItemState::Done && !item.reused;
            continue;
        }
        left[item.verb].tasks += 1.0;
        progress.set_waiting(progress.waiting() + 1);
        if (const auto found = board.find(item.content_key); found != board.end()) {
            note_running(item, found->second);
        }
    }
    bool moves = true;
    if (told == 0) {
        const Waiting waits = waiting(context, next_stage(job, parts));
        progress.set_text(waits.text);
        moves = waits.soon || progress.running() > 0;
    }
    progress.set_text(progress.text() + said_of(parts.cut_off));
    // The progress of a job without sources is that of all its tasks.
    const bool sources = job.n_sources > 0;
    const auto total = static_cast<double>(sources ? job.n_sources : job.n_total);
    const auto done = static_cast<double>(sources ? job.n_sources_done + job.n_sources_failed
                                                  : job.n_total - job.n_live);
    progress.set_fraction(total > 0 ? std::min(1.0, (done + fresh_fraction) / total) : 0.0);
    progress.set_eta_s(-1.0);
    if (job.cancelling) {
        progress.set_text("being cancelled: " + std::to_string(job.n_live) + " of " +
                          std::to_string(job.n_total) + " tasks are left");
        return progress;
    }
    if (const auto times = StageTimes::parse(job.estimate); times && moves) {
        const bool begun = progress.running() > 0 || job.n_sources_done > job.n_sources_reused;
        progress.set_eta_s(context.paces.eta_s(job.job_id, times->seconds(left), times->total_s(),
                                               begun, PaceBoard::Clock::now()));
    }
    return progress;
}

v1::JobProgress shared_progress_of(Context& context, const store::Job& job) {
    if (job.n_total <= kLargeJob) {
        return progress_of(context, job);
    }
    // A cancel is told at once.
    return context.progress_looks.of(job.job_id + (job.cancelling ? "/cancelled" : ""),
                                     [&context, job] { return progress_of(context, job); });
}

}  // namespace kaname::service
