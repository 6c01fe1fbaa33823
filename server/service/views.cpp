// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/views.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ranges>

#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::service {
namespace {

v1::Item::State item_state(store::ItemState state) {
    switch (state) {
        case store::ItemState::Live:
            return v1::Item::LIVE;
        case store::ItemState::Done:
            return v1::Item::DONE;
        case store::ItemState::Failed:
            return v1::Item::FAILED;
        case store::ItemState::Cancelled:
            return v1::Item::CANCELLED;
    }
    return v1::Item::STATE_UNSPECIFIED;
}

v1::Job::State job_state(store::JobState state) {
    switch (state) {
        case store::JobState::Active:
            return v1::Job::ACTIVE;
        case store::JobState::Done:
            return v1::Job::DONE;
        case store::JobState::Failed:
            return v1::Job::FAILED;
        case store::JobState::Cancelled:
            return v1::Job::CANCELLED;
    }
    return v1::Job::STATE_UNSPECIFIED;
}

}  // namespace

v1::Item to_message(const store::JobItem& item) {
    v1::Item message;
    message.set_ordinal(item.ordinal);
    message.set_label(item.label);
    message.set_verb(item.verb);
    message.set_source(item.source);
    message.set_state(item_state(item.state));
    message.set_reused(item.reused);
    message.set_error(item.error);
    message.set_content_key(item.content_key);
    message.set_sha256(item.sha256);
    message.set_bytes(item.bytes);
    return message;
}

v1::Job to_message(const store::Job& job) {
    v1::Job message;
    message.set_name("jobs/" + job.job_id);
    message.set_title(job.name);
    message.set_owner(job.owner);
    message.set_state(job_state(job.state));
    message.set_priority(job.priority);
    v1::JobCounts& counts = *message.mutable_counts();
    counts.set_sources(job.n_sources);
    counts.set_done(job.n_sources_done);
    counts.set_failed(job.n_sources_failed);
    counts.set_reused(job.n_sources_reused);
    const std::int64_t open = job.n_sources - job.n_sources_done - job.n_sources_failed;
    const bool cancelled = job.state == store::JobState::Cancelled;
    counts.set_cancelled(cancelled ? open : 0);
    counts.set_live(cancelled ? 0 : open);
    message.set_created_s(job.created_s);
    message.set_ended_s(job.ended_s);
    message.set_etag(etag_of(job));
    if (!job.campaign_id.empty()) {
        message.set_campaign("campaigns/" + job.campaign_id);
        message.set_member(job.member);
    }
    return message;
}

void for_pages_of_items(store::Store& store, const std::string& job_id,
                        const std::function<void(std::vector<store::JobItem>&)>& use) {
    constexpr int kPage = 1000;
    std::string token;
    do {
        store::Page<store::JobItem> page = store.list_items(job_id, kPage, token);
        use(page.rows);
        token = page.next;
    } while (!token.empty());
}

store::JobItem item_at(store::Store& store, const std::string& job_id, std::int64_t ordinal) {
    return store.items_at(job_id, {&ordinal, 1}).front();
}

v1::Dataset dataset_message(const store::Job& job, const std::string& sha256, std::int64_t bytes,
                            std::int64_t n_missing) {
    v1::Dataset dataset;
    dataset.set_name("datasets/" + job.job_id);
    dataset.set_job("jobs/" + job.job_id);
    dataset.set_title(job.name);
    dataset.set_sha256(sha256);
    dataset.set_bytes(bytes);
    // The dataset is complete if its file is: a source that failed in this job may be computed for
    // another.
    dataset.set_complete(n_missing == 0);
    dataset.set_sources(job.n_sources);
    dataset.set_sources_done(job.n_sources - n_missing);
    dataset.set_created_s(job.ended_s);
    return dataset;
}

std::optional<v1::Dataset> dataset_of(Context& context, const store::Job& job) {
    // The result of the last item is what was asked for: request::TaskGraph.
    const store::JobItem last = item_at(context.store, job.job_id, job.n_total - 1);
    if (last.state != store::ItemState::Done || !context.artifacts.exists(last.sha256)) {
        return std::nullopt;
    }
    return dataset_message(job, last.sha256, last.bytes, last.n_missing);
}

v1::Job full_message(Context& context, const store::Job& job, const std::string& request_sha256) {
    v1::Job message = to_message(job);
    message.set_spec_sha256(request_sha256);
    message.set_traceparent(job.traceparent);
    if (job.state == store::JobState::Active) {  // what it makes is made last
        *message.mutable_progress() = shared_progress_of(context, job);
    } else if (const auto dataset = dataset_of(context, job)) {
        *message.mutable_dataset() = *dataset;
    }
    return message;
}

v1::Worker to_message(const Context& context, const store::WorkerInfo& info) {
    v1::Worker worker;
    worker.set_name("workers/" + info.registered.worker_id);
    worker.set_title(info.registered.name);
    worker.set_host(info.registered.host);
    worker.set_version(info.registered.version);
    worker.set_ranks(info.registered.ranks);
    worker.set_threads(info.registered.threads);
    const bool drained = info.draining || !info.drain.empty();
    const GpuBoard::Entry told = context.gpus.of(info.registered.worker_id);
    worker.set_state(info.gone                 ? v1::Worker::LEFT
                     : info.lost               ? v1::Worker::LOST
                     : drained                 ? v1::Worker::DRAINING
                     : !info.cordon.empty()    ? v1::Worker::CORDONED
                     : !told.not_ready.empty() ? v1::Worker::NOT_READY
                     : info.n_running > 0      ? v1::Worker::BUSY
                                               : v1::Worker::IDLE);
    worker.set_reason(!info.drain.empty()    ? "drained by an operator: " + info.drain
                      : !info.cordon.empty() ? info.cordon
                                             : told.not_ready);
    for (const std::string& uuid : info.registered.gpu_uuids) {
        const auto status = std::ranges::find(told.gpus, uuid, &v1::GpuStatus::uuid);
        v1::GpuStatus& gpu = *worker.add_gpus();
        if (status != told.gpus.end()) {
            gpu = *status;
        }
        gpu.set_uuid(uuid);
    }
    worker.set_heartbeat_age_s(info.heartbeat_age_s);
    worker.set_running(info.n_running);
    worker.set_text(context.board.text_of(info.registered.worker_id));
    return worker;
}

std::string state_name(v1::Worker::State state) {
    std::string name = v1::Worker::State_Name(state);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

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
