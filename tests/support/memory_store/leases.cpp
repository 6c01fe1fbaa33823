// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>
#include <utility>

#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {

MemoryStore::Worker* MemoryStore::live_worker(const std::string& worker_id) {
    const auto found = workers_.find(worker_id);
    return found == workers_.end() || found->second.lost ? nullptr : &found->second;
}

bool MemoryStore::runs_alone(const Task& task) const {
    return task.compat_key.empty() || task.crash_count >= options_.poison - 1;
}

bool MemoryStore::left_to_others(const Task& task, const std::string& worker_id) const {
    const std::string& token = workers_.at(worker_id).registered.token_id;
    return !task.failed_token.empty() && task.failed_token == token &&
           task.run_at >= clock_() - options_.others_first_s &&
           std::ranges::any_of(workers_, [&](const auto& entry) {
               const Worker& other = entry.second;
               return !other.lost && !other.draining && !other.registered.token_id.empty() &&
                      other.registered.token_id != token &&
                      std::ranges::count(other.pools, task.pool) > 0;
           });
}

void MemoryStore::judge_failed_by(const std::string& failed_by, const std::string& worker_id) {
    workers_.at(worker_id).others_did = 0;
    const auto failed = workers_.find(failed_by);
    if (failed_by != worker_id && failed != workers_.end() &&
        ++failed->second.others_did >= options_.set_aside_after &&
        find_cordon(CordonKind::Worker, failed_by) == cordons_.end()) {
        cordons_.push_back(
            {CordonKind::Worker, failed_by, "", set_aside_reason(options_), clock_()});
    }
}

bool MemoryStore::claimable(const Task& task, const ClaimRequest& request) const {
    return !left_to_others(task, request.worker_id) && task.state == TaskState::Ready &&
           std::ranges::count(request.pools, task.pool) > 0 && task.run_at <= clock_() &&
           (request.owner.empty() || task.owner == request.owner) &&
           room_for(request, task.owner) > 0;
}

bool MemoryStore::before(const Task& a, const Task& b) {
    return std::tuple(-a.priority, a.run_at, a.ordinal, a.task_id) <
           std::tuple(-b.priority, b.run_at, b.ordinal, b.task_id);
}

const MemoryStore::Task* MemoryStore::seed_of(const ClaimRequest& request) const {
    const Task* first = nullptr;
    const Task* held = nullptr;
    for (const auto& [key, task] : tasks_) {
        if (!claimable(task, request)) {
            continue;
        }
        if (!first || before(task, *first)) {
            first = &task;
        }
    }
    for (const auto& [key, task] : tasks_) {
        if (first && claimable(task, request) && task.owner == first->owner &&
            !request.held_compat_key.empty() && task.compat_key == request.held_compat_key &&
            task.priority == first->priority && (!held || before(task, *held))) {
            held = &task;
        }
    }
    const bool prefer = held && clock_() - first->run_at <= options_.prefer_held_s;
    return prefer ? held : first;
}

std::vector<ClaimedTask> MemoryStore::claim(const ClaimRequest& request) {
    const std::lock_guard lock(mutex_);
    Worker* worker = live_worker(request.worker_id);
    if (!worker) {
        throw_worker_unknown(request.worker_id);
    }
    worker->heartbeat_at = clock_();
    if (const auto found = claims_.find(request.claim_id); found != claims_.end()) {
        if (found->second.request.worker_id != request.worker_id) {
            throw_claim_of_another(request.claim_id);
        }
        std::vector<ClaimedTask> still = found->second.answer;
        std::erase_if(still, [&](const ClaimedTask& task) {
            return find_running(request.worker_id, task.held()) == tasks_.end();
        });
        return still;
    }
    const bool idle = worker->draining || !drain_of(worker->registered).empty() ||
                      !cordon_of(worker->registered).empty();
    worker->pools = idle ? std::vector<std::string>{} : request.pools;
    if (!idle && request.oldest_first) {
        age_oldest(request);
    }
    const Task* seed = idle ? nullptr : seed_of(request);
    if (!seed) {
        return {};
    }
    std::vector<Task*> pack;
    for (auto& [key, task] : tasks_) {
        if (&task != seed && claimable(task, request) && !runs_alone(*seed) && !runs_alone(task) &&
            task.verb == seed->verb && task.pool == seed->pool && task.owner == seed->owner &&
            task.compat_key == seed->compat_key &&
            task.checkpoint.sha256 == seed->checkpoint.sha256) {
            pack.push_back(&task);
        }
    }
    std::ranges::sort(pack, [](const Task* a, const Task* b) { return before(*a, *b); });
    pack.insert(pack.begin(), &tasks_.at(seed->content_key));
    pack.resize(std::min(pack.size(), static_cast<std::size_t>(room_for(request, seed->owner))));
    std::ranges::sort(pack, {},
                      [](const Task* task) { return std::tuple(task->ordinal, task->task_id); });

    std::vector<ClaimedTask> answer;
    for (Task* task : pack) {
        task->state = TaskState::Running;
        task->worker_id = request.worker_id;
        task->absent = 0;
        if (task->gathers) {
            task->missing = missing_of(task->content_key);
        }
        answer.push_back({task->task_id,
                          ++task->fence,
                          ++task->attempt,
                          task->verb,
                          task->content_key,
                          task->compat_key,
                          task->owner,
                          task->label,
                          task->payload,
                          {task->missing.begin(), task->missing.end()}});
    }
    claims_[request.claim_id] = {request, answer, clock_()};
    for (std::size_t k = 0; k < pack.size(); ++k) {
        answer[k].waited_s = clock_() - pack[k]->run_at;
    }
    return answer;
}

MemoryStore::Tasks::iterator MemoryStore::find_running(const std::string& worker_id, Held held) {
    return std::ranges::find_if(tasks_, [&](const auto& entry) {
        const Task& task = entry.second;
        return task.task_id == held.task_id && task.fence == held.fence &&
               task.state == TaskState::Running && task.worker_id == worker_id;
    });
}

bool MemoryStore::attempt_ended(const std::string& worker_id, Held held, Outcome outcome,
                                const std::string& sha256) const {
    const auto found = attempts_.find(held);
    return found != attempts_.end() && found->second.worker_id == worker_id &&
           found->second.outcome == outcome && found->second.sha256 == sha256;
}

HeartbeatReply MemoryStore::heartbeat(const std::string& worker_id, std::span<const Held> held) {
    const std::lock_guard lock(mutex_);
    Worker* worker = live_worker(worker_id);
    if (!worker) {
        HeartbeatReply unknown;
        unknown.known = false;
        return unknown;
    }
    worker->heartbeat_at = clock_();
    HeartbeatReply reply;
    reply.draining = worker->draining || !drain_of(worker->registered).empty();
    reply.cordon = cordon_of(worker->registered);
    for (const Held& one : held) {
        if (find_running(worker_id, one) != tasks_.end()) {
            continue;
        }
        if (cancelled_.contains(one.task_id)) {
            reply.cancels.push_back(one.task_id);
        } else if (const auto ended = attempts_.find(one);
                   ended == attempts_.end() || ended->second.outcome != Outcome::Done) {
            reply.lost.push_back(one.task_id);
        }
    }
    std::vector<std::string> absent;
    for (auto& [key, task] : tasks_) {
        if (task.state != TaskState::Running || task.worker_id != worker_id) {
            continue;
        }
        const bool listed = std::ranges::find(held, Held{task.task_id, task.fence}) != held.end();
        task.absent = listed ? 0 : task.absent + 1;
        if (task.absent >= options_.absent_heartbeats) {
            absent.push_back(key);
        }
    }
    for (const std::string& key : absent) {
        give_back(key, reply.draining);
    }
    return reply;
}

void MemoryStore::give_back(const std::string& content_key, bool draining) {
    Task& task = tasks_.at(content_key);
    switch (judge_return(options_, task.attempt, task.refunds, draining)) {
        case ReturnedTask::Refunded:
            make_ready(task);
            --task.attempt;
            task.refunds += draining ? 0 : 1;
            break;
        case ReturnedTask::Counted:
            make_ready(task);
            task.run_at = clock_() + backoff_s(options_, task.attempt, task.task_id);
            break;
        case ReturnedTask::Failed:
            fail_with_dependents({content_key}, returned_message(options_));
    }
}

LeaseResult MemoryStore::complete_one(const std::string& worker_id, const Completion& completion) {
    const auto found = find_running(worker_id, completion.task);
    if (found == tasks_.end()) {
        return attempt_ended(worker_id, completion.task, Outcome::Done, completion.sha256)
                   ? LeaseResult::Ok
                   : LeaseResult::Lost;
    }
    attempts_[completion.task] = {worker_id, completion.sha256, Outcome::Done};
    const std::string key = found->first;
    if (completion.partial || !found->second.missing.empty()) {
        end_partial_gatherer(found->second, completion);
        return LeaseResult::Ok;
    }
    artifacts_.try_emplace(key, Artifact{key, completion.sha256, completion.uri, completion.bytes});
    if (!found->second.gathers) {
        judge_failed_by(found->second.failed_by, worker_id);
    }
    tasks_.erase(found);
    end_items({key}, ItemState::Done, "", completion.sha256, completion.bytes);
    release_waiting({key});
    return LeaseResult::Ok;
}

std::vector<LeaseResult> MemoryStore::complete(const std::string& worker_id,
                                               std::span<const Completion> completions) {
    const std::lock_guard lock(mutex_);
    std::vector<LeaseResult> results;
    for (const Completion& completion : completions) {
        results.push_back(complete_one(worker_id, completion));
    }
    return results;
}

LeaseResult MemoryStore::fail(const std::string& worker_id, const Failure& failure) {
    const std::lock_guard lock(mutex_);
    const auto found = find_running(worker_id, failure.task);
    if (found == tasks_.end()) {
        return attempt_ended(worker_id, failure.task, Outcome::Failed) ? LeaseResult::Ok
                                                                       : LeaseResult::Lost;
    }
    attempts_[failure.task] = {worker_id, "", Outcome::Failed};
    Task& task = found->second;
    failures_.push_back({clock_(), task.task_id, task.label, workers_.at(worker_id).registered.name,
                         workers_.at(worker_id).registered.host,
                         failure.error_class + ": " + failure.message, task.payload});
    task.crash_count += failure.crashed ? 1 : 0;
    task.failed_by = worker_id;
    task.failed_token = workers_.at(worker_id).registered.token_id;
    if (tried_again(options_, failure, task.attempt, task.crash_count)) {
        make_ready(task);
        task.run_at = clock_() + backoff_s(options_, task.attempt, task.task_id);
    } else {
        fail_with_dependents({found->first}, failure.error_class + ": " + failure.message);
    }
    return LeaseResult::Ok;
}

std::vector<LeaseResult> MemoryStore::return_tasks(const std::string& worker_id,
                                                   std::span<const Held> tasks,
                                                   double time_limit_s) {
    const std::lock_guard lock(mutex_);
    std::vector<LeaseResult> results;
    for (const Held& held : tasks) {
        const auto found = find_running(worker_id, held);
        if (found == tasks_.end()) {
            const bool repeated = attempt_ended(worker_id, held, Outcome::ReturnedTask);
            results.push_back(repeated ? LeaseResult::Ok : LeaseResult::Lost);
            continue;
        }
        attempts_[held] = {worker_id, "", Outcome::ReturnedTask};
        results.push_back(LeaseResult::Ok);
        Task& task = found->second;
        task.cut_off += time_limit_s > 0 ? 1 : 0;
        task.cut_off_limit_s = time_limit_s > 0 ? time_limit_s : task.cut_off_limit_s;
        if (time_limit_s > 0 && task.cut_off >= options_.max_cut_off) {
            fail_with_dependents({found->first}, cut_off_message({"", task.cut_off, time_limit_s}));
            continue;
        }
        const Worker* worker = live_worker(worker_id);
        give_back(found->first, worker != nullptr && worker->draining);
    }
    return results;
}

std::int64_t MemoryStore::after_clock_step() {
    const std::lock_guard lock(mutex_);
    std::int64_t n_mended = 0;
    for (auto& [key, task] : tasks_) {
        if (task.state == TaskState::Ready &&
            task.run_at > clock_() + longest_backoff_s(options_)) {
            task.run_at = clock_();
            ++n_mended;
        }
    }
    for (auto& [id, worker] : workers_) {
        if (!worker.lost && worker.heartbeat_at > clock_()) {
            worker.heartbeat_at = clock_();
            ++n_mended;
        }
    }
    return n_mended;
}

ReapResult MemoryStore::reap() {
    const std::lock_guard lock(mutex_);
    ReapResult result;
    for (auto& [id, worker] : workers_) {
        if (!worker.lost && worker.heartbeat_at < clock_() - options_.lease_s) {
            worker.lost = true;
            ++result.workers_lost;
        }
    }
    Keys dead;
    for (auto& [key, task] : tasks_) {
        if (task.state != TaskState::Running || live_worker(task.worker_id)) {
            continue;
        }
        const RegisteredWorker& worker = workers_.at(task.worker_id).registered;
        failures_.push_back({clock_(), task.task_id, task.label, worker.name, worker.host,
                             "lost: no sign of life of its worker", task.payload});
        ++task.fence;
        task.failed_by = task.worker_id;
        task.failed_token = worker.token_id;
        make_ready(task);
        task.run_at = clock_() + backoff_s(options_, task.attempt, task.task_id);
        if (++task.crash_count >= options_.poison) {
            dead.insert(key);
        }
        ++result.tasks_returned;
    }
    fail_with_dependents(dead, dead_message(options_));
    result.tasks_dead = static_cast<std::int64_t>(dead.size());
    result.tasks_returned -= result.tasks_dead;
    std::erase_if(claims_, [&](const auto& entry) {
        return entry.second.at < clock_() - options_.claim_memory_s;
    });
    return result;
}

std::vector<std::string> MemoryStore::ready_owners(std::span<const std::string> pools) {
    const std::lock_guard lock(mutex_);
    std::set<std::string> owners;
    for (const auto& [key, task] : tasks_) {
        if (task.state == TaskState::Ready && task.run_at <= clock_() &&
            std::ranges::count(pools, task.pool) > 0) {
            owners.insert(task.owner);
        }
    }
    return {owners.begin(), owners.end()};
}

}  // namespace kaname::store::memory
