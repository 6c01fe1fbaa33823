// SPDX-License-Identifier: BSD-3-Clause
// Workers and the tasks they hold: claim, heartbeat, complete, fail, reap.
#include <algorithm>
#include <set>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
namespace {

/// Part of the lease after which a claim writes its worker's sign of life; heartbeats come oftener.
constexpr double kSignOfLife = 0.34;

/// Columns task_id, fence, attempt, verb, content_key, compat_key, owner, label, payload; without
/// what is missing.
ClaimedTask task_of(const Rows& rows, int row, int first) {
    return {rows.number(row, first),
            rows.number(row, first + 1),
            static_cast<int>(rows.number(row, first + 2)),
            rows.text(row, first + 3),
            rows.text(row, first + 4),
            rows.text(row, first + 5),
            rows.text(row, first + 6),
            rows.text(row, first + 7),
            rows.text(row, first + 8),
            {}};
}

}  // namespace

std::vector<std::optional<Artifact>> PostgresStore::find_artifacts(
    std::span<const std::string> content_keys) {
    std::vector<std::optional<Artifact>> found;
    lanes_.bulk.look([&](Connection& db) {
        found.assign(content_keys.size(), std::nullopt);
        const Rows rows =
            db.run(sql::find_artifacts, {Keys(content_keys.begin(), content_keys.end())});
        for (int row = 0; row < rows.size(); ++row) {
            found[static_cast<std::size_t>(rows.number(row, 0) - 1)] = Artifact{
                rows.text(row, 1), rows.text(row, 2), rows.text(row, 4), rows.number(row, 3)};
        }
    });
    return found;
}

std::optional<Artifact> PostgresStore::find_artifact(const std::string& content_key) {
    return find_artifacts({&content_key, 1}).front();
}

void PostgresStore::forget_artifact(const std::string& content_key) {
    lanes_.bulk.transact([&](Connection& db) { db.run(sql::forget_artifact, {content_key}); });
}

void PostgresStore::use_artifact_store(const ArtifactStoreId& mine) {
    lanes_.bulk.transact([&](Connection& db) {
        db.run(sql::note_artifact_store, {mine.store_id, mine.place});
        const Rows rows = db.run(sql::find_artifact_store);
        if (rows.text(0, 0) != mine.store_id) {
            throw_other_artifact_store({rows.text(0, 0), rows.text(0, 1)}, mine);
        }
    });
}

std::vector<ClaimedTask> PostgresStore::claim_of_owner(Connection& db, const ClaimRequest& request,
                                                       const std::string& owner,
                                                       const std::string& token) {
    std::vector<ClaimedTask> answer;
    const int room = room_for(db, request, owner);
    if (room == 0) {
        return answer;
    }
    if (request.oldest_first) {
        db.run(sql::age_oldest, {request.pools, owner});
        cursors_.forget(request.pools, owner);
    }
    QueueCursors::Clock::time_point asked;
    const auto claim_from = [&](const QueuePositions& places) {
        asked = QueueCursors::Clock::now();
        return db.run(
            sql::claim_tasks,
            {request.worker_id, request.pools, request.held_compat_key, owner, room,
             options_.poison - 1, options_.prefer_held_s, request.claim_id, places.priorities,
             places.run_at, places.ordinals, places.task_ids, token, options_.others_first_s});
    };
    QueuePositions places = cursors_.of(request.pools, owner);
    const bool hinted = std::ranges::any_of(
        places.priorities, [](std::int64_t one) { return one != QueuePosition::kBeforeAll; });
    Rows rows = claim_from(places);
    if (rows.empty() && hinted) {
        cursors_.forget(request.pools, owner);
        places = cursors_.of(request.pools, owner);
        rows = claim_from(places);
    }
    if (!rows.empty()) {
        const std::string pool = rows.text(0, 10);
        const auto at = static_cast<std::size_t>(std::ranges::find(request.pools, pool) -
                                                 request.pools.begin());
        QueuePosition first{static_cast<int>(rows.number(0, 11)), rows.text(0, 12),
                            rows.number(0, 13), rows.number(0, 14)};
        if (places.priorities[at] == QueuePosition::kBeforeAll) {
            cursors_.note_whole(pool, owner, std::move(first), QueueCursors::Clock::now() - asked);
        } else {
            cursors_.note(pool, owner, std::move(first));
        }
    }
    std::vector<std::int64_t> gatherers;
    for (int row = 0; row < rows.size(); ++row) {
        answer.push_back(task_of(rows, row, 0));
        answer.back().waited_s = rows.real(row, 15);
        if (rows.flag(row, 9)) {
            gatherers.push_back(answer.back().task_id);
        }
    }
    if (gatherers.empty()) {
        return answer;
    }
    const Rows noted = db.run(sql::note_missing, {gatherers});
    for (int row = 0; row < noted.size(); ++row) {
        const auto task = std::ranges::find(answer, noted.number(row, 0), &ClaimedTask::task_id);
        task->missing = noted.list(row, 1);
    }
    return answer;
}

std::vector<ClaimedTask> PostgresStore::claim(const ClaimRequest& request) {
    std::vector<ClaimedTask> answer;
    lanes_.queue.transact([&](Connection& db) {
        answer.clear();
        const Rows worker = db.run(sql::look_at_worker, {request.worker_id, request.claim_id,
                                                         options_.lease_s * kSignOfLife});
        if (worker.empty()) {
            throw_worker_unknown(request.worker_id);
        }
        if (worker.flag(0, 2)) {
            db.run(sql::touch_worker, {request.worker_id});
        }
        if (worker.flag(0, 3)) {
            const Rows known = db.run(sql::find_claim, {request.claim_id});
            for (int row = 0; row < known.size(); ++row) {
                if (known.text(row, 0) != request.worker_id) {
                    throw_claim_of_another(request.claim_id);
                }
                if (known.number(row, 1) != 0) {
                    answer.push_back(task_of(known, row, 1));
                    answer.back().missing = known.list(row, 10);
                }
            }
            return;
        }
        const bool idle = worker.flag(0, 0) || !worker.text(0, 1).empty();
        if (const Keys pools = idle ? Keys{} : request.pools; worker.list(0, 5) != pools) {
            db.run(sql::note_pools, {request.worker_id, pools});
        }
        if (idle) {
            return;
        }
        Keys owners = {request.owner};
        if (request.owner.empty()) {
            const Keys ready = ready_owners(db, request.pools);
            owners = ready.empty()
                         ? ready
                         : db.run(sql::list_owners_in_line, {request.pools, ready}).texts(0);
        }
        for (const std::string& owner : owners) {
            if (answer = claim_of_owner(db, request, owner, worker.text(0, 4)); !answer.empty()) {
                return;
            }
        }
    });
    return answer;
}

HeartbeatReply PostgresStore::heartbeat(const std::string& worker_id, std::span<const Held> held) {
    HeartbeatReply reply;
    std::vector<std::int64_t> ids, fences;
    for (const Held& one : held) {
        ids.push_back(one.task_id);
        fences.push_back(one.fence);
    }
    lanes_.queue.transact([&](Connection& db) {
        reply = {};
        const Rows worker = db.run(sql::touch_worker, {worker_id});
        if (worker.empty()) {
            reply.known = false;
            return;
        }
        reply.draining = worker.flag(0, 0);
        reply.cordon = worker.text(0, 1);
        if (!held.empty()) {
            const Rows judged = db.run(sql::judge_held, {worker_id, ids, fences});
            for (int row = 0; row < judged.size(); ++row) {
                const std::string verdict = judged.text(row, 1);
                if (verdict == "cancelled") {
                    reply.cancels.push_back(judged.number(row, 0));
                } else if (verdict == "lost") {
                    reply.lost.push_back(judged.number(row, 0));
                }
            }
        }
        db.run(sql::count_absent, {worker_id, ids, fences});
        const Rows absent = db.run(sql::lock_absent_tasks, {worker_id, options_.absent_heartbeats});
        for (int row = 0; row < absent.size(); ++row) {
            give_back(db, absent, row, reply.draining);
        }
    });
    return reply;
}

bool PostgresStore::attempt_ended(Connection& db, const std::string& worker_id, Held held,
                                  const char* outcome, const std::string& sha256) {
    const Rows rows = db.run(sql::find_attempt, {held.task_id, held.fence, worker_id});
    return !rows.empty() && rows.text(0, 0) == outcome && rows.text(0, 1) == sha256;
}

void PostgresStore::end_items(Connection& db, const Keys& keys, const ItemEnd& end) {
    // A statement of its own: its snapshot sees jobs that joined while the task ended.
    const Keys hashes(keys.size(), end.sha256);
    const std::vector<std::int64_t> bytes(keys.size(), end.bytes);
    const EventType event =
        end.state == ItemState::Done ? EventType::ItemDone : EventType::ItemFailed;
    db.run(sql::end_items, {keys, hashes, bytes, to_string(end.state), end.error, end.jobs,
                            end.only_these, end.n_missing, to_string(event)});
}

void PostgresStore::release_waiting(Connection& db, const Keys& ended) {
    const Keys waiting = db.run(sql::lock_waiting_tasks, {ended}).texts(0);
    if (waiting.empty()) {
        return;
    }
    db.run(sql::delete_needs, {ended});
    const Keys released = db.run(sql::release_tasks, {waiting}).texts(0);
    const Keys hopeless = db.run(sql::find_empty_gatherers, {released}).texts(0);
    if (!hopeless.empty()) {
        fail_tasks(db, hopeless, kNoSourceComputed);
    }
}

void PostgresStore::fail_tasks(Connection& db, const Keys& keys, const std::string& error) {
    db.run(sql::fail_tasks, {keys});
    db.run(sql::delete_needs_of, {keys});
    if (db.run(sql::count_needing, {keys, waiters_at_once()}).number(0, 0) > waiters_at_once()) {
        db.run(sql::lock_jobs_of_keys, {keys});
        end_items(db, keys, {.state = ItemState::Failed, .error = error});
        db.run(sql::begin_failure, {keys, error});
        return;
    }
    const Rows waiting = db.run(sql::lock_waiting_tasks, {keys});
    db.run(sql::lock_jobs_of_keys, {keys});
    end_items(db, keys, {.state = ItemState::Failed, .error = error});
    Keys lost;
    for (int row = 0; row < waiting.size(); ++row) {
        if (waiting.flag(row, 1)) {
            lost.push_back(waiting.text(row, 0));
        }
    }
    if (!lost.empty()) {
        fail_tasks(db, lost, need_failed(error));
    }
    release_waiting(db, keys);
}

LeaseResult PostgresStore::fail(const std::string& worker_id, const Failure& failure) {
    LeaseResult result = LeaseResult::Ok;
    const Held held = failure.task;
    const std::string error = failure.error_class + ": " + failure.message;
    bool many_wait = false;
    lanes_.queue.transact([&](Connection& db) {
        many_wait = false;
        const Rows task = db.run(sql::lock_running_task, {held.task_id, held.fence, worker_id});
        if (task.empty()) {
            result = attempt_ended(db, worker_id, held, "failed", "") ? LeaseResult::Ok
                                                                      : LeaseResult::Lost;
            return;
        }
        result = LeaseResult::Ok;
        db.run(sql::end_attempt, {held.task_id, held.fence, "failed", error});
        const int attempt = static_cast<int>(task.number(0, 3));
        const int crashes = static_cast<int>(task.number(0, 4)) + (failure.crashed ? 1 : 0);
        if (tried_again(options_, failure, attempt, crashes)) {
            db.run(sql::retry_task,
                   {held.task_id, backoff_s(options_, attempt, held.task_id), crashes});
            db.run(sql::note_failed_by, {held.task_id, worker_id});
            block_tasks(db, Keys{task.text(0, 0)});
        } else {
            fail_tasks(db, {task.text(0, 0)}, error);
            many_wait = !db.run(sql::list_pending_failures).empty();
        }
    });
    if (many_wait) {
        finish_failures();
    }
    return result;
}

// Columns content_key, task_id, fence, attempt, crash_count, refunds of a task that is locked.
void PostgresStore::give_back(Connection& db, const Rows& tasks, int row, bool draining) {
    const Keys key = {tasks.text(row, 0)};
    const std::int64_t task_id = tasks.number(row, 1), fence = tasks.number(row, 2);
    const int attempt = static_cast<int>(tasks.number(row, 3));
    db.run(sql::end_attempt, {task_id, fence, "returned", ""});
    cursors_.forget_all();  // it keeps its turn
    switch (judge_return(options_, attempt, static_cast<int>(tasks.number(row, 5)), draining)) {
        case ReturnedTask::Refunded:
            db.run(sql::return_task, {task_id, !draining});
            block_tasks(db, key);
            break;
        case ReturnedTask::Counted:
            db.run(sql::retry_task,
                   {task_id, backoff_s(options_, attempt, task_id), tasks.number(row, 4)});
            block_tasks(db, key);
            break;
        case ReturnedTask::Failed:
            fail_tasks(db, key, returned_message(options_));
    }
}

std::vector<LeaseResult> PostgresStore::return_tasks(const std::string& worker_id,
                                                     std::span<const Held> tasks,
                                                     double time_limit_s) {
    std::vector<LeaseResult> results;
    std::vector<std::int64_t> ids;
    for (const Held& held : tasks) {
        ids.push_back(held.task_id);
    }
    lanes_.queue.transact([&](Connection& db) {
        results.clear();
        db.run(sql::lock_held_tasks, {ids});  // in the order that all take them
        for (const Held& held : tasks) {
            const Rows task = db.run(sql::lock_running_task, {held.task_id, held.fence, worker_id});
            const bool mine = !task.empty();
            const CutOff cut_off{"", static_cast<int>(mine ? task.number(0, 7) : 0) + 1,
                                 time_limit_s};
            if (mine && time_limit_s > 0 && cut_off.n >= options_.max_cut_off) {
                db.run(sql::end_attempt, {held.task_id, held.fence, "returned", ""});
                fail_tasks(db, {task.text(0, 0)}, cut_off_message(cut_off));
            } else if (mine) {
                if (time_limit_s > 0) {
                    db.run(sql::note_cut_off, {held.task_id, time_limit_s});
                }
                give_back(db, task, 0, task.flag(0, 6));
            }
            const bool ok = mine || attempt_ended(db, worker_id, held, "returned", "");
            results.push_back(ok ? LeaseResult::Ok : LeaseResult::Lost);
        }
    });
    return results;
}

ReapResult PostgresStore::reap() {
    // A server may have ended in the middle of releases and failures: they are finished first.
    Keys pending;
    lanes_.queue.look(
        [&](Connection& db) { pending = db.run(sql::list_pending_releases).texts(0); });
    finish_releases(pending);
    finish_failures();
    ReapResult result;
    lanes_.queue.transact([&](Connection& db) {
        result = {};
        result.workers_lost = db.run(sql::lose_workers, {options_.lease_s}).size();
        const Rows tasks = db.run(sql::reap_tasks, {options_.backoff_s, options_.backoff_max_s});
        block_tasks(db, tasks.texts(0));
        Keys dead;
        for (int row = 0; row < tasks.size(); ++row) {
            if (tasks.number(row, 1) >= options_.poison) {
                dead.push_back(tasks.text(row, 0));
            }
        }
        if (!dead.empty()) {
            fail_tasks(db, dead, dead_message(options_));
        }
        db.run(sql::forget_claims, {options_.claim_memory_s});
        db.run(sql::forget_requests, {options_.request_memory_days});
        db.run(sql::fold_task_counts);
        result.tasks_dead = static_cast<std::int64_t>(dead.size());
        result.tasks_returned = tasks.size() - result.tasks_dead;
    });
    finish_failures();
    const std::string run = make_uuid();
    Keys left, cancels;
    lanes_.steps.transact([&](Connection& db) {
        left = db.run(sql::take_over_materialisations, {run, options_.lease_s}).texts(0);
        cancels = db.run(sql::list_left_cancels, {options_.lease_s}).texts(0);
    });
    for (const std::string& job : cancels) {
        (void)cancel_job(job);
    }
    for (const std::string& job : left) {
        (void)materialise(job, run);
    }
    return result;
}

std::int64_t PostgresStore::after_clock_step() {
    std::int64_t n_mended = 0;
    lanes_.queue.transact([&](Connection& db) {
        n_mended = db.run(sql::end_long_waits, {longest_backoff_s(options_)}).size();
        n_mended += db.run(sql::end_future_signs).size();
        n_mended += db.run(sql::end_future_materialisations).size();
    });
    return n_mended;
}

PostgresStore::Keys PostgresStore::ready_owners(Connection& db, const Keys& pools) {
    const QueuePositions known = cursors_.known(pools);
    return db
        .run(sql::list_ready_owners, {pools, known.pools, known.owners, known.priorities,
                                      known.run_at, known.ordinals, known.task_ids})
        .texts(0);
}

std::vector<std::string> PostgresStore::ready_owners(std::span<const std::string> pools) {
    Keys owners;
    lanes_.queue.look(
        [&](Connection& db) { owners = ready_owners(db, Keys(pools.begin(), pools.end())); });
    return owners;
}

TaskCounts PostgresStore::count_tasks() {
    TaskCounts counts;
    lanes_.queue.look([&](Connection& db) {
        const Rows rows = db.run(sql::count_tasks);
        counts = {rows.number(0, 0), rows.number(0, 1), rows.number(0, 2), rows.number(0, 3)};
    });
    return counts;
}

double PostgresStore::now_s() {
    double now = 0;
    lanes_.queue.look([&](Connection& db) { now = db.run(sql::read_clock).real(0, 0); });
    return now;
}

void QueuePositions::add(const std::string& pool, const std::string& owner,
                         const QueuePosition& place) {
    pools.push_back(pool);
    owners.push_back(owner);
    priorities.push_back(place.priority);
    run_at.push_back(place.run_at);
    ordinals.push_back(place.ordinal);
    task_ids.push_back(place.task_id);
}

QueuePositions QueueCursors::of(std::span<const std::string> pools, const std::string& owner,
                                Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    QueuePositions places;
    for (const std::string& pool : pools) {
        const auto head = cursors_.find({pool, owner});
        const bool fresh = head != cursors_.end() && now <= head->second.until;
        places.add(pool, owner, fresh ? head->second.place : QueuePosition{});
    }
    return places;
}

QueuePositions QueueCursors::known(std::span<const std::string> pools, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(cursors_, [&](const auto& head) { return now > head.second.until; });
    QueuePositions places;
    for (const auto& [line, head] : cursors_) {
        if (std::ranges::find(pools, line.first) != pools.end()) {
            places.add(line.first, line.second, head.place);
        }
    }
    return places;
}

void QueueCursors::note(const std::string& pool, const std::string& owner, QueuePosition place) {
    const std::lock_guard lock(mutex_);
    const auto head = cursors_.find({pool, owner});
    if (head != cursors_.end()) {  // else it was forgotten meanwhile
        head->second.place = std::move(place);
    }
}

void QueueCursors::note_whole(const std::string& pool, const std::string& owner,
                              QueuePosition place, Clock::duration took, Clock::time_point now) {
    const auto kept = std::clamp<Clock::duration>(took * kTimesTheLook, kKept, kKeptAtMost);
    const std::lock_guard lock(mutex_);
    cursors_[{pool, owner}] = {std::move(place), now + kept};
}

void QueueCursors::forget(std::span<const std::string> pools, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    for (const std::string& pool : pools) {
        cursors_.erase({pool, owner});
    }
}

void QueueCursors::forget_all() {
    const std::lock_guard lock(mutex_);
    cursors_.clear();
}

}  // namespace kaname::store
