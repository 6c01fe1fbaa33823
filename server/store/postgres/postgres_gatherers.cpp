// SPDX-License-Identifier: BSD-3-Clause
// Gatherers that jobs share: what a file that lacks something is to each of them.
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {

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
