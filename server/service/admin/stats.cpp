// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/stats.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "server/service/admin/admin.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/views.hpp"

// How the service is, in one look.
namespace kaname::service {
namespace {

constexpr int kFailures = 20;

void add_workers(const Context& context, v1::Stats& reply) {
    std::map<v1::Worker::State, std::int64_t> states;
    std::int64_t n_live = 0;
    for (const store::WorkerInfo& info : context.store.list_workers()) {
        ++states[to_message(context, info).state()];
        n_live += info.lost ? 0 : 1;
    }
    reply.set_workers(n_live);
    for (const auto& [state, count] : states) {
        v1::WorkerCount& message = *reply.add_workers_by_state();
        message.set_state(state);
        message.set_count(count);
    }
}

void add_failures(const std::vector<store::AttemptFailure>& failures, v1::Stats& reply) {
    for (const store::AttemptFailure& failure : failures) {
        v1::Failure& message = *reply.add_last_failures();
        message.set_at_s(failure.at_s);
        message.set_task_id(failure.task_id);
        message.set_label(failure.label);
        message.set_worker(failure.worker);
        message.set_host(failure.host);
        message.set_error(failure.error);
        const std::string job = Payload::parse(failure.payload).job;
        message.set_job(job.empty() ? "" : "jobs/" + job);
    }
}

void set_database(const store::DatabaseState& state, v1::DatabaseState& message) {
    message.set_version(state.version);
    message.set_bytes(state.bytes);
    message.set_live_tuples(state.live_tuples);
    message.set_dead_tuples(state.dead_tuples);
    message.set_oldest_xmin_age_s(state.oldest_xmin_age_s);
    message.set_connections(state.connections);
    message.set_schema(state.schema);
}

}  // namespace

void Admin::get_stats(v1::Stats& reply) {
    const store::TaskCounts counts = context_.store.count_tasks();
    reply.set_version(context_.options.version);
    reply.set_tasks_blocked(counts.blocked);
    reply.set_tasks_ready(counts.ready);
    reply.set_tasks_running(counts.running);
    reply.set_tasks_held(counts.held);
    reply.set_oldest_ready_age_s(context_.store.oldest_ready_age_s());
    reply.set_sources_per_minute(context_.meters.sources_per_minute());
    reply.set_jobs_active(context_.store.count_active_jobs());
    add_workers(context_, reply);
    add_failures(context_.store.list_failures(kFailures), reply);
    set_database(context_.database.read(), *reply.mutable_database());
    reply.set_uptime_s(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - context_.started).count());
    reply.set_fenced_completions(context_.n_fenced);
    reply.set_paused(shortage(context_));
    if (context_.options.room != nullptr) {
        for (const space::FolderSpace& room : context_.options.room->folders()) {
            v1::Room& message = *reply.add_rooms();
            message.set_what(room.what);
            message.set_folder(room.folder.string());
            message.set_free_bytes(static_cast<std::int64_t>(room.free));
            message.set_total_bytes(static_cast<std::int64_t>(room.total));
            message.set_low_bytes(static_cast<std::int64_t>(room.low));
            message.set_paused(room.paused);
        }
    }
}

store::DatabaseState DatabaseLook::read() {
    const std::lock_guard lock(mutex_);
    const auto now = now_();
    if (!last_ || now - at_ > kLasts) {
        store::DatabaseState state = store_.look_at_database();
        add_hidden(state, now);
        last_ = std::move(state);
        at_ = now;
    }
    return *last_;
}

void DatabaseLook::add_hidden(store::DatabaseState& state, Clock::time_point now) {
    const bool looked = last_ && now - at_ <= kRecent;
    std::map<std::string, Seen> still;
    bool unknown = false;
    for (const std::string& holder : state.hidden_holders) {
        const auto before = seen_.find(holder);
        const Seen seen = before != seen_.end() ? before->second
                          : looked              ? Seen{at_, true}
                                                : Seen{now, false};
        still[holder] = seen;
        const std::chrono::duration<double> age = now - seen.since;
        if (seen.from_the_beginning || age >= kRecent) {
            state.oldest_xmin_age_s = std::max(state.oldest_xmin_age_s, age.count());
        } else {
            unknown = true;
        }
    }
    seen_ = std::move(still);
    if (unknown && state.oldest_xmin_age_s < std::chrono::duration<double>(kRecent).count()) {
        state.oldest_xmin_age_s = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace kaname::service
