// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/workers/bindings.hpp"

#include <algorithm>
#include <chrono>

#include "server/service/views.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

// Beyond these all is forgotten and asked for again: a bound on memory, not on workers.
constexpr std::size_t kMaxKnown = 20000;
constexpr std::size_t kMaxResults = 100000;

}  // namespace

std::optional<store::WorkerBinding> Bindings::find(const auth::Principal& caller,
                                                   const std::string& worker_id, bool again) {
    if (!again) {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(worker_id);
        if (found != known_.end()) {
            return found->second;
        }
    }
    auto binding = store_.find_binding(worker_id, caller.token_id);
    if (binding) {
        registered(worker_id, *binding);
    }
    return binding;
}

std::string Bindings::check(const auth::Principal& caller, const std::string& worker_id) {
    const std::string id = id_of(worker_id, "workers", "worker_id");
    const auto binding = find(caller, id);
    if (binding && binding->token_id != caller.token_id) {
        throw Refusal("workers/" + id,
                      "worker " + id +
                          " is bound to the token that registered it, which is not that of \"" +
                          caller.name + '"');
    }
    return id;
}

void Bindings::check_sender(const auth::Principal& caller, const std::string& worker_id) {
    if (worker_id.empty()) {
        check_lives(caller, "");
    } else {
        (void)check(caller, worker_id);
    }
}

void Bindings::check_lives(const auth::Principal& caller, const std::string& worker_id) {
    const std::string id = worker_id.empty() ? "" : check(caller, worker_id);
    if (!store_.has_live_worker(caller.token_id, id)) {
        throw Refusal("workers/" + id,
                      id.empty()
                          ? "no live worker is registered with the token of \"" + caller.name + '"'
                          : "worker " + id + " is not registered, or was given up");
    }
}

bool Bindings::has_gpu(const auth::Principal& caller, const std::string& worker_id,
                       const std::string& gpu_uuid) {
    // A worker registers again when it has looked at its GPUs, perhaps with another server.
    for (const bool again : {false, true}) {
        const auto binding = find(caller, worker_id, again);
        if (binding && std::ranges::count(binding->gpu_uuids, gpu_uuid) > 0) {
            return true;
        }
    }
    return false;
}

void Bindings::registered(const std::string& worker_id, store::WorkerBinding binding) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMaxKnown) {
        known_.clear();
    }
    known_[worker_id] = std::move(binding);
}

void Bindings::forget(const std::string& worker_id) {
    const std::lock_guard lock(mutex_);
    known_.erase(worker_id);
}

void Bindings::put_results(const auth::Principal& caller, std::span<const std::string> sha256) {
    store_.note_result_uploads(caller.token_id, sha256);
    const std::lock_guard lock(mutex_);
    if (results_.size() + sha256.size() > kMaxResults) {
        results_.clear();
    }
    for (const std::string& file : sha256) {
        results_.emplace(caller.token_id, file);
    }
}

bool Bindings::has_put(const auth::Principal& caller, const std::string& sha256) {
    {
        const std::lock_guard lock(mutex_);
        if (results_.contains({caller.token_id, sha256})) {
            return true;
        }
    }
    return store_.has_uploaded(caller.token_id, sha256);
}

namespace {

constexpr std::size_t kMaxAuditText = 1U << 10U;

}  // namespace

store::Actor actor_of(const auth::Principal& principal) {
    return {principal.name, std::string(to_string(principal.role))};
}

void Refusals::note(const auth::Principal& principal, const std::string& method,
                    const Error& refusal) {
    std::int64_t n_left_out = 0;
    {
        const std::lock_guard lock(mutex_);
        const std::int64_t minute = std::chrono::duration_cast<std::chrono::minutes>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count();
        if (minute != minute_) {
            minute_ = minute;
            n_in_minute_ = 0;
        }
        if (n_in_minute_ == kPerMinute) {
            ++n_left_out_;
            return;
        }
        ++n_in_minute_;
        std::swap(n_left_out, n_left_out_);
    }
    const auto* known = dynamic_cast<const Refusal*>(&refusal);
    store::AuditEvent event;
    event.principal = principal.name;
    event.role = to_string(principal.role);
    event.method = method;
    event.resource = known != nullptr ? to_utf8(known->resource(), kMaxAuditText) : "";
    event.outcome = "refused: " + to_utf8(refusal.what(), kMaxAuditText);
    if (n_left_out > 0) {
        event.outcome += " (before it, " + std::to_string(n_left_out) + " were not kept)";
    }
    try {
        store_.record(event);
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        n_left_out_ += n_left_out + 1;
    }
}

}  // namespace kaname::service
