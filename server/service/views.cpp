// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/views.hpp"

#include <algorithm>
#include <cctype>

#include "server/service/jobs/progress.hpp"
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

}  // namespace kaname::service
