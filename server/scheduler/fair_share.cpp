// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::scheduler {
namespace {

/// Weight of the newest task in the running mean of durations.
constexpr double kNewest = 0.1;

}  // namespace

FairShare::FairShare(FairShareOptions options, Clock clock)
    : options_(options), clock_(std::move(clock)), mean_s_(options.first_guess_s) {}

FairShare::Account& FairShare::account(const std::string& owner) {
    const double now_s = clock_();
    const auto [entry, is_new] = accounts_.try_emplace(owner);
    Account& account = entry->second;
    // u(t) = u(t0) 2^(-(t - t0) / half life)
    account.use_s *= is_new ? 0 : std::exp2(-(now_s - account.at_s) / options_.half_life_s);
    account.at_s = now_s;
    return account;
}

void FairShare::set_weight(const std::string& owner, double weight) {
    if (!(weight > 0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "weight of " + owner + " must be > 0, got " + std::to_string(weight));
    }
    const std::lock_guard lock(mutex_);
    account(owner).weight = weight;
}

std::vector<std::string> FairShare::order(std::vector<std::string> owners) {
    const std::lock_guard lock(mutex_);
    std::vector<std::tuple<double, std::int64_t, std::string>> served;
    for (std::string& owner : owners) {
        const Account& its = account(owner);
        served.emplace_back(its.use_s / its.weight, its.last_turn, std::move(owner));
    }
    std::sort(served.begin(), served.end());
    owners.clear();
    for (auto& [share, turn, owner] : served) {
        owners.push_back(std::move(owner));
    }
    return owners;
}

bool FairShare::oldest_next(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    return account(owner).n_claims % kOldestEvery == kOldestEvery - 1;
}

void FairShare::claimed(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    Account& its = account(owner);
    ++its.n_claims;
    its.last_turn = ++turn_;
}

void FairShare::assigned(const std::string& owner, std::int64_t n_tasks) {
    const std::lock_guard lock(mutex_);
    Account& its = account(owner);
    its.n_running += n_tasks;
    its.use_s += static_cast<double>(n_tasks) * mean_s_;
}

void FairShare::ended(const std::string& owner, double seconds) {
    const std::lock_guard lock(mutex_);
    seconds = std::max(0.0, seconds);
    Account& its = account(owner);
    if (its.n_running > 0) {  // else it was handed out before this server started
        --its.n_running;
        // The mean has moved since the charge and part of it has decayed: use stays >= 0.
        its.use_s = std::max(0.0, its.use_s - mean_s_);
    }
    its.use_s += seconds;
    mean_s_ += kNewest * (seconds - mean_s_);
}

double FairShare::use_s(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    return account(owner).use_s;
}

void RunningTasks::began(const std::string& worker_id, const store::ClaimedTask& task) {
    {
        const std::lock_guard lock(mutex_);
        const auto [entry, is_new] = running_.try_emplace(task.task_id);
        if (!is_new && entry->second.fence == task.fence) {
            return;
        }
        entry->second = {worker_id, task.fence,   task.owner, task.content_key,
                         task.verb, task.payload, clock_()};
        if (!is_new) {
            return;
        }
    }
    share_.assigned(task.owner, 1);
}

std::optional<std::string> RunningTasks::ended(store::Held task) {
    Running ended;
    {
        const std::lock_guard lock(mutex_);
        const auto found = running_.find(task.task_id);
        if (found == running_.end() || found->second.fence != task.fence) {
            return std::nullopt;
        }
        ended = std::move(found->second);
        running_.erase(found);
    }
    share_.ended(ended.owner, clock_() - ended.since_s);
    return ended.content_key;
}

std::optional<std::string> RunningTasks::key_of(const std::string& worker_id,
                                                store::Held task) const {
    const std::lock_guard lock(mutex_);
    const Running* found = find(worker_id, task);
    return found != nullptr ? std::optional(found->content_key) : std::nullopt;
}

std::optional<RunningTasks::Attempt> RunningTasks::attempt_of(const std::string& worker_id,
                                                              store::Held task) const {
    const std::lock_guard lock(mutex_);
    const Running* found = find(worker_id, task);
    return found != nullptr ? std::optional(Attempt{found->content_key, found->verb, found->payload,
                                                    found->source, clock_() - found->since_s})
                            : std::nullopt;
}

void RunningTasks::is_source(store::Held task) {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(task.task_id);
    if (found != running_.end() && found->second.fence == task.fence) {
        found->second.source = true;
    }
}

const RunningTasks::Running* RunningTasks::find(const std::string& worker_id,
                                                store::Held task) const {
    const auto found = running_.find(task.task_id);
    const bool held = found != running_.end() && found->second.worker_id == worker_id &&
                      found->second.fence == task.fence;
    return held ? &found->second : nullptr;
}

}  // namespace kaname::scheduler
