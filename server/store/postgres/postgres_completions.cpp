// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

// Completions: those of several calls in one transaction, each kind of row in one statement.
namespace kaname::store {
namespace {

/// The columns of all completions of a group, in the order in which they came.
struct CompletionColumns {
    std::vector<std::string> workers, hashes, uris;
    std::vector<std::int64_t> tasks, fences, bytes;
};

/// Keys of sources that ended, with their results.
struct Ended {
    std::vector<std::string> keys, hashes;
    std::vector<std::int64_t> bytes;
};

}  // namespace

std::vector<LeaseResult> PostgresStore::complete(const std::string& worker_id,
                                                 std::span<const Completion> completions) {
    if (completions.empty()) {
        return {};
    }
    CompleteCall call{worker_id, completions, {}};
    completions_.run(call, [this](std::vector<CompleteCall*>& calls) { complete_group(calls); });
    return call.results;
}

void PostgresStore::complete_group(std::vector<CompleteCall*>& calls) {
    struct One {
        CompleteCall* call;
        const Completion* completion;
    };
    std::vector<One> all;
    CompletionColumns columns;
    for (CompleteCall* call : calls) {
        for (const Completion& completion : call->completions) {
            all.push_back({call, &completion});
            columns.workers.push_back(call->worker_id);
            columns.tasks.push_back(completion.task.task_id);
            columns.fences.push_back(completion.task.fence);
            columns.hashes.push_back(completion.sha256);
            columns.bytes.push_back(completion.bytes);
            columns.uris.push_back(completion.uri);
        }
    }
    Keys pending;
    lanes_.queue.transact([&](Connection& db) {
        for (CompleteCall* call : calls) {
            call->results.clear();
        }
        pending.clear();
        // All locks in one order, tasks before jobs: many workers complete at once.
        const Rows rows =
            db.run(sql::complete_tasks,
                   {columns.workers, columns.tasks, columns.fences, columns.hashes, columns.bytes,
                    columns.uris, options_.set_aside_after, set_aside_reason(options_)});
        std::vector<bool> ok(all.size(), false);
        std::set<std::int64_t> gatherers;
        Ended ended;
        Keys keys, gone, again;
        for (int row = 0; row < rows.size(); ++row) {
            if (rows.flag(row, 2)) {
                gatherers.insert(rows.number(row, 0));
                continue;
            }
            const auto at = static_cast<std::size_t>(rows.number(row, 3) - 1);
            ok[at] = true;
            ended.keys.push_back(rows.text(row, 1));
            ended.hashes.push_back(columns.hashes[at]);
            ended.bytes.push_back(columns.bytes[at]);
        }
        std::vector<std::pair<std::string, CompletedTask>> gathered;
        for (std::size_t k = 0; k < all.size(); ++k) {
            const auto& [call, completion] = all[k];
            if (gatherers.contains(completion->task.task_id)) {
                const CompletedTask task = judge_gatherer(db, call->worker_id, *completion);
                const std::string key = end_gatherer(db, call->worker_id, task);
                if (!key.empty()) {
                    ok[k] = true;
                    (task.waiting_jobs.empty() ? gone : again).push_back(key);
                    gathered.emplace_back(key, task);
                }
            }
            ok[k] = ok[k] || attempt_ended(db, call->worker_id, completion->task, "done",
                                           completion->sha256);
            call->results.push_back(ok[k] ? LeaseResult::Ok : LeaseResult::Lost);
        }
        if (!gathered.empty()) {
            // A completed gatherer waits for nothing more; one that lacks sources waits again.
            db.run(sql::delete_needs_of, {gone});
            block_tasks(db, again);
        }
        keys = ended.keys;
        keys.insert(keys.end(), gone.begin(), gone.end());
        Keys wanted = keys;
        wanted.insert(wanted.end(), again.begin(), again.end());
        if (wanted.empty()) {
            return;
        }
        const Rows locked = db.run(sql::lock_jobs_and_waiting, {wanted, keys, waiters_at_once()});
        if (!ended.keys.empty()) {
            db.run(sql::end_items,
                   {ended.keys, ended.hashes, ended.bytes, to_string(ItemState::Done), "", Keys{},
                    false, 0, to_string(EventType::ItemDone)});
        }
        for (const auto& [key, task] : gathered) {
            end_completed(db, key, task);
        }
        if (locked.number(0, 0) > waiters_at_once()) {
            db.run(sql::begin_release, {keys});
            pending = keys;
        } else if (locked.number(0, 0) > 0) {
            release_needed(db, keys);
        }
    });
    finish_releases(pending);
}

std::string PostgresStore::end_gatherer(Connection& db, const std::string& worker_id,
                                        const CompletedTask& task) {
    const Completion& completion = *task.completion;
    const Held held = completion.task;
    const Rows rows = task.waiting_jobs.empty()
                          ? db.run(sql::complete_gatherer,
                                   {held.task_id, held.fence, worker_id, completion.sha256,
                                    completion.bytes, completion.uri, task.partial})
                          : db.run(sql::requeue_gatherer,
                                   {held.task_id, held.fence, worker_id, completion.sha256});
    return rows.empty() ? "" : rows.text(0, 0);
}

void PostgresStore::release_needed(Connection& db, const Keys& ended) {
    const Rows released = db.run(sql::release_needed, {ended});
    Keys gatherers;
    for (int row = 0; row < released.size(); ++row) {
        if (released.flag(row, 1)) {
            gatherers.push_back(released.text(row, 0));
        }
    }
    fail_hopeless(db, gatherers);
}

void PostgresStore::fail_hopeless(Connection& db, const Keys& gatherers) {
    if (gatherers.empty()) {
        return;
    }
    const Keys hopeless = db.run(sql::find_empty_gatherers, {gatherers}).texts(0);
    if (!hopeless.empty()) {
        fail_tasks(db, hopeless, kNoSourceComputed);
    }
}

namespace {

struct HeldColumns {
    explicit HeldColumns(std::span<const Held> tasks) {
        for (const Held& held : tasks) {
            ids.push_back(held.task_id);
            fences.push_back(held.fence);
        }
    }
    std::vector<std::int64_t> ids, fences;
};

}  // namespace

LeaseResult PostgresStore::begin_checkpoint(const std::string& worker_id,
                                            std::span<const Held> tasks,
                                            const std::string& sha256) {
    const HeldColumns held(tasks);
    LeaseResult result = LeaseResult::Lost;
    lanes_.queue.transact([&](Connection& db) {
        const Rows rows = db.run(sql::begin_checkpoint, {held.ids, held.fences, worker_id, sha256});
        result = rows.empty() ? LeaseResult::Lost : LeaseResult::Ok;
    });
    return result;
}

LeaseResult PostgresStore::set_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                          const Checkpoint& checkpoint) {
    const HeldColumns held(tasks);
    LeaseResult result = LeaseResult::Lost;
    lanes_.queue.transact([&](Connection& db) {
        db.run(sql::lock_held_tasks, {held.ids});  // in the order that all take them
        const Rows rows =
            db.run(sql::set_checkpoint, {held.ids, held.fences, worker_id, checkpoint.sha256,
                                         checkpoint.bytes, checkpoint.step});
        result = rows.empty() ? LeaseResult::Lost : LeaseResult::Ok;
    });
    return result;
}

std::vector<std::optional<Checkpoint>> PostgresStore::find_checkpoints(
    std::span<const std::int64_t> task_ids) {
    std::vector<std::optional<Checkpoint>> found;
    const std::vector<std::int64_t> ids(task_ids.begin(), task_ids.end());
    lanes_.queue.look([&](Connection& db) {
        found.assign(ids.size(), std::nullopt);
        const Rows rows = db.run(sql::find_checkpoints, {ids});
        for (int row = 0; row < rows.size(); ++row) {
            const auto at = std::ranges::find(ids, rows.number(row, 0));
            found[static_cast<std::size_t>(at - ids.begin())] = Checkpoint{
                rows.text(row, 1), rows.number(row, 2), static_cast<int>(rows.number(row, 3))};
        }
    });
    return found;
}

std::vector<std::string> PostgresStore::forget_checkpoints(const RemoveFile& remove) {
    std::vector<std::string> unused;
    lanes_.queue.transact([&](Connection& db) {
        const Keys locked =
            db.run(sql::lock_unused_checkpoints, {options_.checkpoint_upload_s}).texts(0);
        unused = db.run(sql::forget_checkpoints, {options_.checkpoint_upload_s, locked}).texts(0);
        // While the rows are locked: whoever puts one of these files next waits, and puts it anew.
        for (const std::string& sha256 : unused) {
            remove(sha256);
        }
    });
    return unused;
}

// Gatherers that jobs share: what a file that lacks something is to each of them.

void PostgresStore::block_tasks(Connection& db, const Keys& keys) {
    if (!keys.empty()) {
        db.run(sql::block_tasks, {keys});
    }
}

// The task is locked: jobs that join it wait, and sources that end wait where it needs them.
PostgresStore::CompletedTask PostgresStore::judge_gatherer(Connection& db,
                                                           const std::string& worker_id,
                                                           const Completion& completion) {
    CompletedTask task{&completion, completion.partial};
    const Held held = completion.task;
    const Rows gatherer = db.run(sql::find_running_gatherer, {held.task_id, held.fence, worker_id});
    if (gatherer.empty()) {
        return task;
    }
    task.n_missing = gatherer.number(0, 1);
    task.partial = task.partial || task.n_missing > 0;
    const Rows jobs = db.run(sql::judge_gatherer, {gatherer.text(0, 0), held.task_id});
    for (int row = 0; row < jobs.size(); ++row) {
        if (jobs.flag(row, 2)) {
            task.lost_jobs.push_back(jobs.text(row, 0));
        } else if (jobs.flag(row, 1)) {
            task.waiting_jobs.push_back(jobs.text(row, 0));
        } else {
            task.content_jobs.push_back(jobs.text(row, 0));
        }
    }
    return task;
}

void PostgresStore::end_completed(Connection& db, const std::string& key,
                                  const CompletedTask& task) {
    if (task.partial && task.n_missing == 0) {
        end_items(db, {key}, {.state = ItemState::Failed, .error = kSourceUnread});
        return;
    }
    if (!task.lost_jobs.empty()) {
        end_items(db, {key},
                  {.state = ItemState::Failed,
                   .error = kSourceLost,
                   .jobs = task.lost_jobs,
                   .only_these = true});
    }
    // A file that lacks something is for those who were asked: a job that is created or retried in
    // pieces may have appeared since, and joins with a piece of its own.
    const bool asked = task.n_missing > 0;
    end_items(db, {key},
              {.sha256 = task.completion->sha256,
               .bytes = task.completion->bytes,
               .n_missing = task.n_missing,
               .jobs = asked ? task.content_jobs : Keys{},
               .only_these = asked});
}

}  // namespace kaname::store
