// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/jobs.hpp"

#include <algorithm>

#include "server/service/datasets/filter.hpp"
#include "server/service/stream/calls.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/views.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::service {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{500};
constexpr int kDefaultJobs = 50;
constexpr int kDefaultItems = 100;

v1::JobUpdate::Event event_of(store::EventType type) {
    switch (type) {
        case store::EventType::Submitted:
            return v1::JobUpdate::SUBMITTED;
        case store::EventType::ItemDone:
            return v1::JobUpdate::ITEM_DONE;
        case store::EventType::ItemFailed:
            return v1::JobUpdate::ITEM_FAILED;
        case store::EventType::ItemCancelled:
            return v1::JobUpdate::ITEM_CANCELLED;
        case store::EventType::JobEnded:
            return v1::JobUpdate::JOB_ENDED;
        case store::EventType::Retried:
            return v1::JobUpdate::RETRIED;
    }
    return v1::JobUpdate::EVENT_UNSPECIFIED;
}

std::unique_ptr<google::protobuf::Message> specification_of(const v1::CreateJobRequest& request,
                                                            const request::Kinds& kinds) {
    if (request.has_batch()) {
        return std::make_unique<v1::GreensBatch>(request.batch());
    }
    if (!request.has_specification()) {
        refuse("request", "must be given");
    }
    const std::string& url = request.specification().type_url();
    return parse_specification(kinds, url.substr(url.rfind('/') + 1),
                               request.specification().value(), "request");
}

}  // namespace

void Jobs::create_job(const v1::CreateJobRequest& request, const auth::Principal& principal,
                      v1::Job& reply, const helpers::Caller& gone, const std::string& traceparent) {
    reply =
        submitter_.submit({specification_of(request, *context_.options.kinds), request.request_id(),
                           request.validate_only(), request.priority(), gone, "", 0, traceparent},
                          principal);
}

void Jobs::get_job(const v1::GetJobRequest& request, v1::Job& reply) {
    const std::string id = id_of(request.name(), "jobs", "name");
    std::string request_sha256 = hashes_.of(id);
    store::Job job;
    if (request_sha256.empty()) {
        job = context_.store.get_job(id);
        request_sha256 = sha256_hex(job.request);
        job.request.clear();
        hashes_.keep(id, request_sha256);
    } else {
        job = context_.store.look_at_job(id);
    }
    reply = full_message(context_, job, request_sha256);
}

std::string RequestHashes::of(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(job_id);
    return found == known_.end() ? "" : found->second;
}

void RequestHashes::keep(const std::string& job_id, const std::string& sha256) {
    constexpr std::size_t kMost = 1000;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) {
        known_.clear();
    }
    known_.emplace(job_id, sha256);
}

void Jobs::list_jobs(const v1::ListJobsRequest& request, v1::ListJobsResponse& reply) {
    if (!request.order_by().empty() && request.order_by() != "created_s desc") {
        refuse("order_by",
               "must be empty or \"created_s desc\", got \"" + request.order_by() + '"');
    }
    const auto page = context_.store.list_jobs(parse_filter(request.filter()),
                                               page_size_of(request.page_size(), kDefaultJobs),
                                               request.page_token());
    for (const store::Job& job : page.rows) {
        *reply.add_jobs() = to_message(job);
    }
    reply.set_next_page_token(page.next);
}

void Jobs::list_items(const v1::ListItemsRequest& request, v1::ListItemsResponse& reply) {
    const std::string id = id_of(request.job(), "jobs", "job");
    const auto page = context_.store.list_items(
        id, page_size_of(request.page_size(), kDefaultItems), request.page_token());
    reply.set_next_page_token(page.next);
    std::size_t bytes = 0;
    for (const store::JobItem& item : page.rows) {
        if (bytes > kMaxReplyBytes) {  // errors may be long: the others on the next page
            reply.set_next_page_token(store::make_token("items/" + id, item.ordinal));
            break;
        }
        *reply.add_items() = to_message(item);
        bytes += reply.items().rbegin()->ByteSizeLong();
    }
}

void Jobs::cancel_job(const v1::CancelJobRequest& request, const auth::Principal& caller,
                      v1::Job& reply) {
    const std::string id = id_of(request.name(), "jobs", "name");
    check_owner(context_, caller, id, auth::Role::Operator, "cancel");
    const store::Job job =
        context_.store.cancel_job(id, actor_of(caller), stop_of_a_call(context_));
    reply = to_message(job);
    if (job.cancelling) {
        bulk_.go_on(id);
        *reply.mutable_progress() = progress_of(context_, job);
    }
    context_.wakeups.notify();
}

void Jobs::retry_job(const v1::RetryJobRequest& request, const auth::Principal& caller,
                     v1::Job& reply) {
    const std::string id = id_of(request.name(), "jobs", "name");
    check_owner(context_, caller, id, auth::Role::Operator, "retry");
    const store::Job job = context_.store.get_job(id);
    for_pages_of_items(context_.store, id, [&](const std::vector<store::JobItem>& items) {
        std::vector<std::string> keys;
        std::ranges::transform(items, std::back_inserter(keys), &store::JobItem::content_key);
        forget_lost_results(context_, keys);
    });
    (void)put_text(context_.artifacts, job.request);  // which may be what is lost
    const auto turn = context_.quotas.check_retry(
        job.owner, job.state == store::JobState::Active ? 0 : job.n_failed + job.n_cancelled);
    reply = to_message(context_.store.retry_job(id, actor_of(caller), stop_of_a_call(context_)));
    if (job.n_total > kLargeJob) {
        bulk_.go_on(id);  // which ends at once where nothing is left
    }
    context_.wakeups.notify();
}

void Jobs::delete_job(const v1::DeleteJobRequest& request, const auth::Principal& caller) {
    const std::string id = id_of(request.name(), "jobs", "name");
    check_owner(context_, caller, id, auth::Role::Admin, "delete");
    context_.store.delete_job(id, request.etag(), actor_of(caller));
}

Jobs::Told Jobs::events_after(const store::Job& job, std::int64_t seq, int most) {
    Told told;
    // Whoever cancels 100,000 items does not make everybody who watches read as many.
    told.events = context_.store.list_events(job.job_id, seq, most,
                                             /*cancelled_items=*/job.n_total <= kLargeJob);
    std::vector<std::int64_t> ordinals;
    for (const store::JobEvent& event : told.events) {
        if (event.ordinal >= 0) {
            ordinals.push_back(event.ordinal);
        }
    }
    if (!ordinals.empty()) {
        for (store::JobItem& item : context_.store.items_at(job.job_id, ordinals)) {
            const std::int64_t ordinal = item.ordinal;
            told.items.insert_or_assign(ordinal, std::move(item));
        }
    }
    return told;
}

Answers<v1::JobUpdate> Jobs::watch_job(const v1::WatchJobRequest request) {
    constexpr int kEvents = 200;  // that one who does not read holds in memory
    const std::string id = id_of(request.name(), "jobs", "name");
    std::int64_t seq = parse_resume_token(id, request.resume_token());
    const WatchedJobs::Watch watch(context_.watched, id);
    store::Job job = context_.store.look_at_job(id);
    std::string shown;
    while (true) {
        const std::uint64_t version = context_.wakeups.version();
        const std::int64_t newest = watch.event_seq();
        bool more = false;
        if (newest > seq) {
            Told told = events_after(job, seq, kEvents);
            job = context_.store.look_at_job(id);
            more = std::ssize(told.events) == kEvents;
            for (const store::JobEvent& event : told.events) {
                seq = event.seq;
                v1::JobUpdate update;
                update.set_event(event_of(event.type));
                update.set_resume_token(make_resume_token(id, seq));
                if (event.ordinal >= 0) {
                    store::JobItem& item = told.items.at(event.ordinal);
                    item.state = event.type == store::EventType::ItemDone ? store::ItemState::Done
                                 : event.type == store::EventType::ItemFailed
                                     ? store::ItemState::Failed
                                     : store::ItemState::Cancelled;
                    item.error = event.detail;
                    *update.mutable_item() = to_message(item);
                }
                if (&event == &told.events.back() || event.type == store::EventType::JobEnded) {
                    *update.mutable_job() = to_message(job);
                }
                co_yield update;
            }
            seq = more ? seq : std::max(seq, newest);
        }
        if (job.state != store::JobState::Active && seq >= job.event_seq) {
            co_return;
        }
        if (more) {
            continue;
        }
        throw_if_draining(context_);
        v1::JobUpdate update;
        *update.mutable_job() = to_message(job);
        *update.mutable_job()->mutable_progress() = shared_progress_of(context_, job);
        v1::JobProgress what = update.job().progress();
        what.clear_eta_s();  // changes all the time
        if (const std::string text = what.SerializeAsString(); text != shown) {
            shown = text;
            update.set_resume_token(make_resume_token(id, seq));
            co_yield update;
        }
        co_yield Pause{version, kProgressInterval};
    }
}

store::JobItem Jobs::item_labelled(const std::string& job_id, const std::string& label) {
    const auto item = context_.store.find_item(job_id, label);
    if (!item) {
        throw Error(ErrorCode::NotFound, "job " + job_id + " has no stage \"" + label +
                                             "\": must be the label of one of its stages");
    }
    return *item;
}

Answers<v1::LogChunk> Jobs::tail_logs(const v1::TailLogsRequest request) {
    constexpr std::size_t kChunk = 64U << 10U;
    const std::string id = id_of(request.job(), "jobs", "job");
    store::JobItem item = item_labelled(id, request.label());
    v1::LogChunk chunk;
    if (item.reused) {
        chunk.set_data("computed for an earlier job, whose log this is\n");
        co_yield chunk;
    }
    std::uint64_t offset = 0;
    std::string tail;  // what was sent last
    while (true) {
        const std::uint64_t version = context_.wakeups.version();
        // Looked up before the last read, so that nothing written in between is missed.
        const bool live = item.state == store::ItemState::Live;
        std::string text = logs_.read(item.content_key, offset, kChunk);
        if (!text.empty()) {
            offset += text.size();
            tail = tail.substr(tail.size() / 2) + text;
            chunk.set_data(std::move(text));
            co_yield chunk;
            continue;
        }
        if (!live || !request.follow()) {
            break;
        }
        throw_if_draining(context_);
        co_yield Pause{version, kProgressInterval};
        item = item_at(context_.store, id, item.ordinal);
    }
    // The server alone may know why the item ended: a lost worker, a stage that it waited for.
    if (!item.error.empty() && tail.find(item.error) == std::string::npos) {
        chunk.set_data(std::string(to_string(item.state)) + ": " + item.error + "\n");
        co_yield chunk;
    } else if (offset == 0) {
        chunk.set_data(item.state == store::ItemState::Live
                           ? "nothing yet: it waits for a worker or an earlier stage\n"
                           : std::string(to_string(item.state)) + "; its log is not kept\n");
        co_yield chunk;
    }
}

void check_owner(Context& context, const auth::Principal& caller, const std::string& job_id,
                 auth::Role others, const std::string& verb) {
    if (auth::allows(caller.role, others)) {
        return;
    }
    const std::string owner = context.store.job_owner(job_id);
    if (owner != caller.name) {
        throw Refusal("jobs/" + job_id,
                      "job " + job_id + " belongs to \"" + owner + "\": \"" + caller.name +
                          "\", role " + std::string(to_string(caller.role)) + ", may not " + verb +
                          " it; its owner or role " + std::string(to_string(others)) + " may");
    }
}

}  // namespace kaname::service
