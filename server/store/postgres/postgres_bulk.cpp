// SPDX-License-Identifier: BSD-3-Clause
// Changes of every task of a large job go in pieces, a transaction each: no lock is held for
// long, and after a crash the same call goes on where it ended.
#include <algorithm>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {
Job PostgresStore::cancel_job(const std::string& job_id, const Actor& actor, const Stop& stop) {
    JobState state = JobState::Active;
    const auto piece_size = static_cast<std::size_t>(options_.bulk_piece);
    Keys live;
    lanes_.steps.transact([&](Connection& db) {
        // A retry that is under way revives no more items.
        const bool reviving = !db.run(sql::end_reviving, {job_id}).empty();
        if (reviving) {
            (void)db.run(sql::lock_job, {job_id});
        }
        if (!db.run(sql::begin_cancel, {job_id}).empty()) {
            keep(db, actor, "CancelJob", "jobs/" + job_id);
        }
        if (reviving) {
            finish_job(db, job_id);
        }
        state = find_job_state(db, job_id);
        live = db.run(sql::list_live_items, {job_id}).texts(0);
        if (state != JobState::Active) {
            db.run(sql::end_cancel, {job_id});
        }
    });
    // Gatherers go first: the sources that go after them cannot release them then.
    bool goes_on = state == JobState::Active;
    for (std::size_t first = 0; first < live.size() && goes_on; first += piece_size) {
        if (first > 0 && stop && stop()) {
            break;
        }
        const std::size_t end = std::min(live.size(), first + piece_size);
        const Keys piece(live.begin() + static_cast<std::ptrdiff_t>(first),
                         live.begin() + static_cast<std::ptrdiff_t>(end));
        lanes_.steps.transact([&](Connection& db) {
            state = cancel_some(db, job_id, piece);
            goes_on = state == JobState::Active && !db.run(sql::touch_cancel, {job_id}).empty();
            if (state != JobState::Active) {
                db.run(sql::end_cancel, {job_id});
            }
        });
    }
    return look_at_job(job_id);
}

bool PostgresStore::finish_bulk(const std::string& job_id, const Stop& stop) {
    bool cancels = false, plants = false;
    const std::string run = make_uuid();
    lanes_.steps.transact([&](Connection& db) {
        cancels = !db.run(sql::touch_cancel, {job_id}).empty();
        plants = !cancels && !db.run(sql::take_planting, {job_id, run}).empty();
    });
    if (cancels) {
        if (cancel_job(job_id, {}, stop).cancelling) {
            return true;
        }
        // A gatherer that other jobs share waits for the last piece of this one.
        lanes_.steps.transact([&](Connection& db) {
            plants = !db.run(sql::take_planting, {job_id, run}).empty();
        });
    }
    return plants && !plant(job_id, run, stop);
}

JobState PostgresStore::cancel_some(Connection& db, const std::string& job_id, const Keys& keys) {
    const Rows tasks = db.run(sql::lock_tasks_of_keys, {keys});
    Keys gatherers;
    for (int row = 0; row < tasks.size(); ++row) {
        if (tasks.flag(row, 1)) {
            gatherers.push_back(tasks.text(row, 0));
        }
    }
    db.run(sql::lock_job_and_jobs, {job_id, gatherers});  // they may fail, see release_waiting
    // A job that has ended and was retried since is active again, and nobody wants that one to end.
    if (const JobState state = find_job_state(db, job_id);
        state != JobState::Active || db.run(sql::touch_cancel, {job_id}).empty()) {
        return state;
    }
    db.run(sql::cancel_items, {job_id, keys, to_string(EventType::ItemCancelled)});
    // In turns, from what nothing needs downwards: a task stays while a live one needs it.
    for (Keys gone; !(gone = db.run(sql::delete_unwanted_tasks, {keys}).texts(0)).empty();) {
        release_waiting(db, gone);
    }
    hold_back(db, keys);  // what this job alone would have had start
    return find_job_state(db, job_id);
}

void PostgresStore::finish_releases(const Keys& ended) {
    for (const std::string& key : ended) {
        bool more = true;
        while (more) {
            lanes_.steps.transact([&](Connection& db) {
                // Else a piece is joined with itself row by row.
                db.run_script("set local enable_hashjoin = on");
                const Rows rows = db.run(sql::release_some, {key, options_.bulk_piece});
                Keys gatherers;
                for (int row = 0; row < rows.size(); ++row) {
                    if (rows.flag(row, 1) && rows.flag(row, 2)) {
                        gatherers.push_back(rows.text(row, 0));
                    }
                }
                fail_hopeless(db, gatherers);
                more = !rows.empty();
                if (!more) {
                    db.run(sql::end_release, {key});
                }
            });
        }
    }
}

/// Fails the tasks that need a failed task, however many they are; tasks that only gather it go on.
void PostgresStore::finish_failures() {
    struct Pending {
        std::string key, error;
        std::int64_t last_task = 0;
    };
    std::vector<Pending> pending;
    lanes_.steps.look([&](Connection& db) {
        pending.clear();
        const Rows rows = db.run(sql::list_pending_failures);
        for (int row = 0; row < rows.size(); ++row) {
            pending.push_back({rows.text(row, 0), rows.text(row, 1), rows.number(row, 2)});
        }
    });
    for (const Pending& failed : pending) {
        bool more = true;
        while (more) {
            lanes_.steps.transact([&](Connection& db) {
                const Keys piece = db.run(sql::lock_some_hopeless,
                                          {failed.key, options_.bulk_piece, failed.last_task})
                                       .texts(0);
                more = !piece.empty();
                if (more) {
                    fail_tasks(db, piece, need_failed(failed.error));
                    return;
                }
                const Keys rest =
                    db.run(sql::release_the_rest, {failed.key, failed.last_task}).texts(0);
                fail_hopeless(db, db.run(sql::release_tasks, {rest}).texts(0));
                db.run(sql::end_failure, {failed.key});
            });
        }
    }
}

}  // namespace kaname::store
