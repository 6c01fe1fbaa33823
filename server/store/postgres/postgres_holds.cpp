// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "server/store/campaign_rules.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

// Pause, resume and cancel of campaigns, and the tasks that are held for them. The change itself is
// one row; from then on tasks are created as it says. Those that are there follow in pieces, a
// transaction each, that stop when somebody changes the campaign again; what a crash leaves, the
// next driver finishes.
namespace kaname::store {

/// Holds back one level of tasks after another, from the tasks that nothing needs downwards.
void PostgresStore::hold_back(Connection& db, const Keys& keys) {
    while (!keys.empty() && !db.run(sql::hold_tasks, {keys}).empty()) {
    }
}

/// Returns false if `stop` ended it early; true also if the campaign was changed meanwhile.
bool PostgresStore::change_tasks(const std::string& campaign_id, std::int64_t turn, bool hold,
                                 const Stop& stop) {
    Keys keys;
    lanes_.steps.transact(
        [&](Connection& db) { keys = db.run(sql::list_keys_of_campaign, {campaign_id}).texts(0); });
    const auto size = static_cast<std::size_t>(options_.bulk_piece);
    bool mine = true;
    for (std::size_t first = 0; first < keys.size() && mine; first += size) {
        if (first > 0 && stop && stop()) {
            return false;
        }
        const Keys piece(
            keys.begin() + static_cast<std::ptrdiff_t>(first),
            keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), first + size)));
        lanes_.steps.transact([&](Connection& db) {
            mine = !db.run(sql::share_campaign, {campaign_id, turn}).empty();
            if (!mine) {
                return;
            }
            db.run(sql::lock_tasks_of_keys, {piece});
            if (hold) {
                hold_back(db, piece);
            } else {
                db.run(sql::lift_tasks, {piece});
                db.run(sql::lift_needed, {piece});
            }
        });
    }
    return true;
}

void PostgresStore::finish_campaign_work(const std::string& campaign_id, const Stop& stop) {
    // Again when somebody changed it meanwhile: whoever asked for the first change is answered when
    // none is left.
    for (Campaign campaign;;) {
        Keys jobs;
        lanes_.steps.transact([&](Connection& db) {
            campaign = find_campaign(db, campaign_id);
            jobs = db.run(sql::list_active_jobs_of_campaign, {campaign_id}).texts(0);
        });
        if (campaign.work.empty()) {
            return;
        }
        if (campaign.work == "cancel") {
            bool left = false;
            for (auto job = jobs.begin(); job != jobs.end() && !left; ++job) {
                left = (job != jobs.begin() && stop && stop()) ||
                       cancel_job(*job, {}, stop).cancelling;
            }
            if (left) {
                return;
            }
        } else if (campaign.work == "delete") {
            delete_with_jobs(campaign_id, stop);
            return;
        } else if (!change_tasks(campaign_id, campaign.turn, campaign.work == "hold", stop)) {
            return;
        }
        lanes_.steps.transact([&](Connection& db) {
            db.run(sql::end_campaign_work, {campaign_id, campaign.turn});
        });
    }
}

/// In a transaction: the campaign, locked.
Campaign PostgresStore::lock_campaign(Connection& db, const std::string& campaign_id) {
    if (db.run(sql::lock_campaign, {campaign_id}).empty()) {
        throw_no_campaign(campaign_id);
    }
    return find_campaign(db, campaign_id);
}

void PostgresStore::pause_campaign(const std::string& campaign_id, const Actor& actor,
                                   const Stop& stop) {
    lanes_.steps.transact([&](Connection& db) {
        const Campaign campaign = lock_campaign(db, campaign_id);
        check_open(campaign, "pause");
        if (campaign.state == CampaignState::Active) {
            db.run(sql::set_campaign_state, {campaign_id, "paused", "hold"});
            keep(db, actor, "PauseCampaign", "campaigns/" + campaign_id);
        }
    });
    finish_campaign_work(campaign_id, stop);
}

void PostgresStore::resume_campaign(const std::string& campaign_id, const Actor& actor,
                                    const Stop& stop) {
    lanes_.steps.transact([&](Connection& db) {
        const Campaign campaign = lock_campaign(db, campaign_id);
        check_open(campaign, "resume");
        if (campaign.state == CampaignState::Paused) {
            db.run(sql::set_campaign_state, {campaign_id, "active", "lift"});
            keep(db, actor, "ResumeCampaign", "campaigns/" + campaign_id);
        }
    });
    finish_campaign_work(campaign_id, stop);
}

void PostgresStore::cancel_campaign(const std::string& campaign_id, const Actor& actor,
                                    const Stop& stop) {
    lanes_.steps.transact([&](Connection& db) {
        const Campaign campaign = lock_campaign(db, campaign_id);
        if (is_open(campaign.state)) {
            db.run(sql::set_campaign_state, {campaign_id, "cancelled", "cancel"});
            db.run(sql::cancel_waiting_members, {campaign_id});
            db.run(sql::begin_cancels_of_campaign, {campaign_id});
            keep(db, actor, "CancelCampaign", "campaigns/" + campaign_id);
        }
    });
    finish_campaign_work(campaign_id, stop);
}

void PostgresStore::retry_campaign(const std::string& campaign_id, const Actor& actor) {
    lanes_.bulk.transact([&](Connection& db) {
        const Campaign campaign = lock_campaign(db, campaign_id);
        check_not_being_ended(campaign);
        if (db.run(sql::retry_members, {campaign_id}).empty()) {
            if (is_open(campaign.state)) {
                return;  // or a repetition
            }
            throw_nothing_to_retry(campaign_id);
        }
        const bool paused = campaign.state == CampaignState::Paused;
        db.run(sql::set_campaign_state, {campaign_id, paused ? "paused" : "active", campaign.work});
        keep(db, actor, "RetryCampaign", "campaigns/" + campaign_id);
    });
}

void PostgresStore::set_campaign_limits(const std::string& campaign_id,
                                        const CampaignLimits& limits, const Actor& actor,
                                        const Stop& stop) {
    lanes_.steps.transact([&](Connection& db) {
        (void)lock_campaign(db, campaign_id);
        db.run(sql::set_campaign_limits,
               {campaign_id, limits.tasks_at_once, limits.hours, limits.bytes});
        keep(db, actor, "SetCampaignLimits", "campaigns/" + campaign_id,
             "ok: " + std::to_string(limits.tasks_at_once) + " tasks at once");
    });
    finish_campaign_work(campaign_id, stop);
}

void PostgresStore::delete_campaign(const std::string& campaign_id, const std::string& etag,
                                    const Actor& actor) {
    lanes_.bulk.transact([&](Connection& db) {
        std::vector<Campaign> found = {lock_campaign(db, campaign_id)};
        count_campaigns(db, found);
        check_deletable(found.front(), etag);
        db.run(sql::delete_campaign, {campaign_id});
        keep(db, actor, "DeleteCampaign", "campaigns/" + campaign_id,
             "ok, of \"" + found.front().owner + '"');
    });
}

void PostgresStore::delete_campaign_with_jobs(const std::string& campaign_id,
                                              const std::string& etag, const Actor& actor,
                                              const Stop& stop) {
    lanes_.steps.transact([&](Connection& db) {
        std::vector<Campaign> found = {lock_campaign(db, campaign_id)};
        if (found.front().work == "cancel") {
            check_not_being_ended(found.front());
        }
        count_campaigns(db, found);
        const bool again = found.front().work == "delete";
        check_deletable(found.front(), again ? "" : etag);
        if (const Rows pinned = db.run(sql::find_pinned_of_campaign, {campaign_id});
            !pinned.empty()) {
            throw_pinned(pinned.text(0, 0));  // before any of them is gone
        }
        db.run(sql::begin_deletion, {campaign_id, actor.name, actor.role});
    });
    delete_with_jobs(campaign_id, stop);
}

/// A transaction for each job.
void PostgresStore::delete_with_jobs(const std::string& campaign_id, const Stop& stop) {
    Actor actor;
    std::int64_t after = -1;
    for (bool more = true; more;) {
        std::vector<std::pair<std::string, std::int64_t>> jobs;
        lanes_.steps.transact([&](Connection& db) {
            jobs.clear();
            const Rows by = db.run(sql::find_deleter, {campaign_id});
            if (by.empty()) {
                throw_no_campaign(campaign_id);
            }
            actor = {by.text(0, 0), by.text(0, 1)};
            const Rows rows = db.run(sql::list_jobs_to_delete, {campaign_id, after});
            for (int row = 0; row < rows.size(); ++row) {
                jobs.emplace_back(rows.text(row, 0), rows.number(row, 1));
            }
        });
        more = !jobs.empty();
        for (const auto& [job, member] : jobs) {
            after = member;
            try {
                delete_job(job, "", actor);
            } catch (const Error& error) {
                // Pinned or deleted since: it is nobody's member in the end.
                if (error.code() != ErrorCode::NotReady && error.code() != ErrorCode::NotFound) {
                    throw;
                }
            }
            if (stop && stop()) {
                return;
            }
        }
    }
    delete_campaign(campaign_id, "", actor);
}

std::int64_t PostgresStore::lift_tasks(const std::string& campaign_id) {
    std::int64_t n = 0;
    lanes_.steps.transact([&](Connection& db) {
        n = 0;
        const Rows campaign = db.run(sql::share_campaign, {campaign_id, 0});
        if (campaign.empty() || campaign.text(0, 0) != "active") {
            return;
        }
        const Campaign found = find_campaign(db, campaign_id);
        if (found.limits.tasks_at_once > 0 && found.work.empty()) {
            db.run(sql::lock_drive, {campaign_id});  // two that lift at once count one another's
            n = db.run(sql::lift_some_held, {campaign_id, found.limits.tasks_at_once}).size();
        }
    });
    return n;
}

// Changes of every task of a large job go in pieces, a transaction each: no lock is held for
// long, and after a crash the same call goes on where it ended.
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
        // Before the state: a job whose last item ends in between is seen to have ended. Seen the
        // other way it would be active with nothing left to cancel, and would go on being
        // cancelled, which keeps its owner's tasks from all workers.
        live = db.run(sql::list_live_items, {job_id}).texts(0);
        state = find_job_state(db, job_id);
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
    bool cancels = false, creates = false;
    const std::string run = make_uuid();
    lanes_.steps.transact([&](Connection& db) {
        cancels = !db.run(sql::touch_cancel, {job_id}).empty();
        creates = !cancels && !db.run(sql::take_materialisation, {job_id, run}).empty();
    });
    if (cancels) {
        if (cancel_job(job_id, {}, stop).cancelling) {
            return true;
        }
        // A gatherer that other jobs share waits for the last piece of this one.
        lanes_.steps.transact([&](Connection& db) {
            creates = !db.run(sql::take_materialisation, {job_id, run}).empty();
        });
    }
    return creates && !materialise(job_id, run, stop);
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
