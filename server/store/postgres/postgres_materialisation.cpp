// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a large job are created in pieces, a transaction each, from what needs nothing
// upwards, while the job is there already: a submit is durable before, no lock is held for long,
// and after a crash `reap` goes on where it ended. What gathers comes first and waits for the last
// piece: it must not begin while sources of its job have no task yet. A retry revives the items of
// a piece with it: what it has not come to is as it was.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {
namespace {

struct TaskToCreate {
    std::int64_t ordinal = 0, level = 0;
    std::string key;
    std::vector<std::string> needs, gathers;
    bool created = false;  ///< by a run before, where it gathers nothing
};

/// Another run has taken the job over, or ended it.
struct TakenOver {};

}  // namespace

struct PostgresStore::Materialisation {
    std::string job_id, run_id;
    std::vector<TaskToCreate>
        tasks;  ///< one of each key: gatherers, then the others by level and place
    std::size_t n_gatherers = 0;
    std::map<std::string, std::size_t> places;  ///< by key
    struct Edge {
        std::string gatherer;
        bool gathered;
    };
    std::map<std::string, std::vector<Edge>> edges;  ///< into gatherers, by what they wait for

    /// Returns the key for which gatherers wait until all tasks exist.
    [[nodiscard]] std::string last_piece() const { return "job/" + job_id; }
    void read(Connection& db);
    /// A piece is of neighbours in the job; within it the order is that in which all take locks.
    void sort_for_locks(std::size_t first, std::size_t end);
};

void PostgresStore::Materialisation::sort_for_locks(std::size_t first, std::size_t end) {
    std::sort(tasks.begin() + static_cast<std::ptrdiff_t>(first),
              tasks.begin() + static_cast<std::ptrdiff_t>(end),
              [](const TaskToCreate& a, const TaskToCreate& b) { return a.key < b.key; });
    for (std::size_t at = first; at < end; ++at) {
        places[tasks[at].key] = at;
    }
}

void PostgresStore::Materialisation::read(Connection& db) {
    *this = {job_id, run_id, {}, 0, {}, {}};
    const Rows rows = db.run(sql::list_tasks_to_create, {job_id});
    for (int row = 0; row < rows.size(); ++row) {
        TaskToCreate task{rows.number(row, 0), rows.number(row, 2), rows.text(row, 1),
                          rows.list(row, 3),   rows.list(row, 4),   rows.flag(row, 5)};
        if (places.emplace(task.key, 0).second) {
            tasks.push_back(std::move(task));
        }
    }
    const auto others = std::stable_partition(
        tasks.begin(), tasks.end(), [](const TaskToCreate& task) { return !task.gathers.empty(); });
    n_gatherers = static_cast<std::size_t>(others - tasks.begin());
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        places[tasks[at].key] = at;
        if (at < n_gatherers) {
            for (const std::string& key : tasks[at].needs) {
                edges[key].push_back({tasks[at].key, false});
            }
            for (const std::string& key : tasks[at].gathers) {
                edges[key].push_back({tasks[at].key, true});
            }
        }
    }
}

bool PostgresStore::materialise(const std::string& job_id, const std::string& run_id,
                                const Stop& stop) {
    Materialisation job{job_id, run_id, {}, 0, {}, {}};
    const auto most = static_cast<std::size_t>(options_.bulk_piece);
    try {
        lanes_.steps.transact([&](Connection& db) { job.read(db); });
        for (std::size_t first = 0; first < job.tasks.size();) {
            if (first >= job.n_gatherers && job.tasks[first].created) {
                ++first;
                continue;
            }
            if (first >= job.n_gatherers && stop && stop()) {
                return false;
            }
            // A piece is of one level: what it needs has been created before, or never will be.
            std::size_t end = first + 1;
            while (end < job.tasks.size() && end < first + most && end != job.n_gatherers &&
                   job.tasks[end].level == job.tasks[first].level) {
                ++end;
            }
            const std::int64_t level = job.tasks[first].level, last = job.tasks[end - 1].ordinal;
            job.sort_for_locks(first, end);
            lanes_.steps.transact([&](Connection& db) {
                materialise_piece(db, job, first, end);
                if (first >= job.n_gatherers) {
                    db.run(sql::note_materialised, {job_id, level, last});
                }
            });
            first = end;
        }
        lanes_.steps.transact([&](Connection& db) { end_materialisation(db, job); });
    } catch (const TakenOver&) {
        return false;
    }
    return true;
}

void PostgresStore::materialise_piece(Connection& db, Materialisation& job, std::size_t first,
                                      std::size_t end) {
    const Rows run = db.run(sql::touch_materialisation, {job.job_id, job.run_id});
    if (run.empty()) {
        throw TakenOver{};
    }
    (void)db.run(sql::share_campaign_of_job, {job.job_id});  // nobody pauses it meanwhile
    std::vector<std::int64_t> ordinals, asked;
    for (std::size_t at = first; at < end; ++at) {
        ordinals.push_back(job.tasks[at].ordinal);
    }
    std::optional<Rows> revived;
    if (run.flag(0, 0)) {
        revived = db.run(sql::revive_items, {job.job_id, ordinals});
    }
    const bool gatherers = first < job.n_gatherers;
    // Locked before what needs them, as everybody does, so that none ends meanwhile.
    std::set<std::string> needs, waited_for;
    for (std::size_t at = first; at < end && !gatherers; ++at) {
        for (const std::string& key : job.tasks[at].needs) {
            if (job.places.contains(key)) {
                needs.insert(key);
            }
        }
    }
    if (!needs.empty()) {
        const Keys locked =
            db.run(sql::lock_tasks_of_keys, {Keys(needs.begin(), needs.end())}).texts(0);
        waited_for.insert(locked.begin(), locked.end());
    }
    const auto waits = [&](const std::string& key) { return waited_for.contains(key); };
    Keys states;
    for (std::size_t at = first; at < end; ++at) {
        states.emplace_back(gatherers || std::ranges::any_of(job.tasks[at].needs, waits) ? "blocked"
                                                                                         : "ready");
    }
    std::map<std::string, std::string> tasks;  // states by key
    std::set<std::string> fresh;
    const Rows created = db.run(sql::materialise_tasks, {job.job_id, ordinals, states});
    for (int row = 0; row < created.size(); ++row) {
        tasks[created.text(row, 0)] = created.text(row, 2);
        if (created.flag(row, 1)) {
            fresh.insert(created.text(row, 0));
        }
    }
    const auto forget = [&](const Keys& keys) {
        for (const std::string& key : keys) {
            tasks.erase(key);
            fresh.erase(key);
        }
    };
    forget(db.run(sql::delete_redundant_tasks, {Keys(fresh.begin(), fresh.end())}).texts(0));

    // From here on the job's items stay as they are: whoever ends one locks the job.
    (void)db.run(sql::lock_job, {job.job_id});
    if (revived) {
        count_revived(db, job.job_id, *revived);
    }
    asked = ordinals;
    for (const std::string& key : needs) {
        asked.push_back(job.tasks[job.places.at(key)].ordinal);
    }
    for (std::size_t at = 0; at < job.n_gatherers && !gatherers; ++at) {
        asked.push_back(job.tasks[at].ordinal);
    }
    struct Item {
        std::string state, error;
    };
    std::map<std::int64_t, Item> items;
    const Rows listed = db.run(sql::list_states_of_items, {job.job_id, asked});
    for (int row = 0; row < listed.size(); ++row) {
        items[listed.number(row, 0)] = {listed.text(row, 1), listed.text(row, 2)};
    }
    const auto live = [&](const TaskToCreate& task) { return items[task.ordinal].state == "live"; };
    Keys unwanted, joined, from, to;
    std::vector<std::int64_t> gathered;
    std::map<std::string, Keys> hopeless;  // by error
    const auto add_edge = [&](const std::string& needed, const std::string& key, bool gathers) {
        from.push_back(needed);
        to.push_back(key);
        gathered.push_back(gathers ? 1 : 0);
    };
    for (std::size_t at = first; at < end; ++at) {
        const TaskToCreate& wanted = job.tasks[at];
        const auto task = tasks.find(wanted.key);
        if (task == tasks.end()) {
            continue;
        }
        if (!live(wanted)) {
            unwanted.push_back(wanted.key);
            continue;
        }
        if (!fresh.contains(wanted.key)) {
            joined.push_back(wanted.key);
        }
        if (gatherers) {
            add_edge(job.last_piece(), wanted.key, true);
            continue;
        }
        for (const std::string& need : wanted.needs) {
            if (waits(need) && task->second != "running") {
                add_edge(need, wanted.key, false);
            }
            if (needs.contains(need)) {
                const Item& item = items[job.tasks[job.places.at(need)].ordinal];
                if (item.state == "failed" || item.state == "cancelled") {
                    hopeless[item.error].push_back(wanted.key);
                }
            }
        }
        if (const auto found = job.edges.find(wanted.key); found != job.edges.end()) {
            for (const Materialisation::Edge& edge : found->second) {
                if (live(job.tasks[job.places.at(edge.gatherer)])) {
                    add_edge(wanted.key, edge.gatherer, edge.gathered);
                }
            }
        }
    }
    if (!unwanted.empty()) {
        forget(db.run(sql::delete_unwanted_tasks, {unwanted}).texts(0));
    }
    db.run(sql::insert_edges, {from, to, gathered});
    block_tasks(db, joined);
    if (!joined.empty()) {
        db.run(sql::lift_needed, {joined});
    }
    const Rows reused = db.run(sql::reuse_some_artifacts, {job.job_id, ordinals});
    count_and_tell(db, reused, ItemState::Done, "", true);
    std::set<std::int64_t> done;
    for (int row = 0; row < reused.size(); ++row) {
        done.insert(reused.number(row, 1));
    }
    for (std::size_t at = first; at < end; ++at) {
        const TaskToCreate& task = job.tasks[at];
        if (live(task) && !tasks.contains(task.key) && !done.contains(task.ordinal)) {
            throw TransactionConflict{"a result was forgotten between two looks at it"};
        }
    }
    for (auto& [error, keys] : hopeless) {
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        fail_tasks(db, keys, need_failed(error));
    }
}

void PostgresStore::end_materialisation(Connection& db, Materialisation& job) {
    if (db.run(sql::touch_materialisation, {job.job_id, job.run_id}).empty()) {
        throw TakenOver{};
    }
    // Also those that other jobs want, where this one was cancelled before a crash.
    const Keys gatherers = db.run(sql::lock_waiting_tasks, {Keys{job.last_piece()}}).texts(0);
    std::map<std::string, Keys> hopeless;  // by error
    std::vector<std::int64_t> asked;
    for (std::size_t at = 0; at < job.n_gatherers; ++at) {
        for (const std::string& key : job.tasks[at].needs) {
            if (const auto found = job.places.find(key); found != job.places.end()) {
                asked.push_back(job.tasks[found->second].ordinal);
            }
        }
    }
    (void)db.run(sql::lock_job_and_jobs, {job.job_id, gatherers});  // they may fail
    db.run(sql::delete_needs, {Keys{job.last_piece()}});
    std::map<std::int64_t, std::string> failed;  // errors by item
    const Rows listed = db.run(sql::list_states_of_items, {job.job_id, asked});
    for (int row = 0; row < listed.size(); ++row) {
        if (listed.text(row, 1) == "failed") {
            failed[listed.number(row, 0)] = listed.text(row, 2);
        }
    }
    for (std::size_t at = 0; at < job.n_gatherers && !failed.empty(); ++at) {
        for (const std::string& key : job.tasks[at].needs) {
            const auto found = job.places.find(key);
            if (found != job.places.end() && failed.contains(job.tasks[found->second].ordinal)) {
                hopeless[failed.at(job.tasks[found->second].ordinal)].push_back(job.tasks[at].key);
                break;
            }
        }
    }
    for (const auto& [error, keys] : hopeless) {
        fail_tasks(db, keys, need_failed(error));
    }
    fail_hopeless(db, db.run(sql::release_tasks, {gatherers}).texts(0));
    finish_job(db, job.job_id);
    db.run(sql::end_materialisation, {job.job_id});
}

}  // namespace kaname::store
