// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/meters.hpp"

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

namespace {

const std::string kOther = "other";

/// Classes of failures that agents and this server name (worker/agent/agent.cpp, ErrorCode).
constexpr std::array kReasons = {"InvalidArgument",
                                 "NotFound",
                                 "Conflict",
                                 "Unavailable",
                                 "NotConverged",
                                 "DeviceFault",
                                 "Internal",
                                 "NotReady",
                                 "Aborted",
                                 "Exhausted",
                                 "DataLoss",
                                 "OutOfRange",
                                 "PermissionDenied",
                                 "Unauthenticated",
                                 "crashed",
                                 "hung",
                                 "lost",
                                 "input_missing",
                                 "report_refused",
                                 "cancelled"};

constexpr std::array kCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

}  // namespace

const char* code_name(int code) {
    return code >= 0 && code < static_cast<int>(kCodes.size())
               ? kCodes[static_cast<std::size_t>(code)]
               : "UNKNOWN";
}

void Histogram::observe(std::span<const double> bounds, double value) {
    at_most.resize(bounds.size());
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        at_most[k] += value <= bounds[k] ? 1 : 0;
    }
    sum += value;
    ++n;
}

void Meters::called(const std::string& method, int code, double seconds) {
    const std::lock_guard lock(calls_mutex_);
    const bool known = readings_.call_s.contains(method) || readings_.call_s.size() < kMostMethods;
    const std::string& name = known ? method : kOther;
    Histogram& times = readings_.call_s[name];
    ++readings_.calls[{name, code_name(code)}];
    if (seconds >= 0) {
        times.observe(kRpcBounds_s, seconds);
    }
}

const std::string& Meters::known_verb(const std::string& verb) {
    const auto found = verbs_.find(verb);
    if (found != verbs_.end()) {
        return found->first;
    }
    return verbs_.size() < kMostVerbs ? verbs_.emplace(verb, true).first->first : kOther;
}

void Meters::claimed(const std::string& verb, std::span<const double> waited_s, std::size_t most) {
    if (std::ranges::any_of(waited_s, [](double waited) { return waited < 0; })) {
        return;  // an answer that was lost, and is told again
    }
    const std::lock_guard lock(mutex_);
    Histogram& waits = readings_.wait_s[known_verb(verb)];
    for (const double waited : waited_s) {
        waits.observe(kTaskBounds_s, waited);
    }
    if (most > 1) {
        readings_.fill.observe(kFillBounds,
                               static_cast<double>(waited_s.size()) / static_cast<double>(most));
    }
}

void Meters::ended(const std::string& outcome, const std::string& reason, const std::string& verb,
                   double seconds, bool source) {
    const bool known = reason.empty() || std::ranges::count(kReasons, reason) > 0;
    const std::lock_guard lock(mutex_);
    ++readings_.attempts[{outcome, known ? reason : kOther}];
    if (outcome != "done") {
        return;
    }
    if (seconds >= 0) {
        readings_.stage_s[known_verb(verb)].observe(kTaskBounds_s, seconds);
    }
    if (source) {
        ++readings_.sources;
        const std::int64_t at =
            std::chrono::duration_cast<std::chrono::seconds>(now_() - started_).count();
        Second& second = seconds_[static_cast<std::size_t>(at % kWindow_s)];
        second = second.at == at ? Second{at, second.n + 1} : Second{at, 1};
    }
}

void Meters::lost(std::int64_t tasks) {
    if (tasks > 0) {
        const std::lock_guard lock(mutex_);
        readings_.attempts[{"lost", ""}] += tasks;
    }
}

double Meters::sources_per_minute() const {
    const std::lock_guard lock(mutex_);
    const double up_s = std::chrono::duration<double>(now_() - started_).count();
    const auto at = static_cast<std::int64_t>(up_s);
    std::int64_t n = 0;
    for (const Second& second : seconds_) {
        n += second.at >= 0 && second.at > at - kWindow_s ? second.n : 0;
    }
    return 60.0 * static_cast<double>(n) / std::clamp(up_s, 1.0, static_cast<double>(kWindow_s));
}

Meters::Readings Meters::read() const {
    const std::scoped_lock lock(calls_mutex_, mutex_);
    return readings_;
}

}  // namespace kaname::service
