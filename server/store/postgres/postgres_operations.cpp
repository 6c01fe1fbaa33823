// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <sstream>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/error.hpp"

// Reads the state that operators look at: failures, the queue's age, the database itself, backups.
namespace kaname::store {

std::vector<AttemptFailure> PostgresStore::list_failures(int limit) {
    std::vector<AttemptFailure> failures;
    lanes_.bulk.look([&](Connection& db) {
        failures.clear();
        const Rows rows = db.run(sql::list_failures, {limit});
        for (int row = 0; row < rows.size(); ++row) {
            failures.push_back({rows.real(row, 0), rows.number(row, 1), rows.text(row, 2),
                                rows.text(row, 3), rows.text(row, 4), rows.text(row, 5),
                                rows.text(row, 6)});
        }
    });
    return failures;
}

double PostgresStore::oldest_ready_age_s() {
    double age_s = 0;
    lanes_.steps.transact(
        [&](Connection& db) { age_s = db.run(sql::age_of_oldest_ready).real(0, 0); });
    return age_s;
}

std::int64_t PostgresStore::count_active_jobs() {
    std::int64_t n = 0;
    lanes_.steps.look([&](Connection& db) { n = db.run(sql::count_active_jobs).number(0, 0); });
    return n;
}

DatabaseState PostgresStore::look_at_database() {
    DatabaseState state;
    lanes_.bulk.transact([&](Connection& db) {
        const Rows rows = db.run(sql::look_at_database);
        state.version = rows.text(0, 0);
        state.bytes = rows.number(0, 1);
        state.live_tuples = rows.number(0, 2);
        state.dead_tuples = rows.number(0, 3);
        state.oldest_xmin_age_s = rows.real(0, 4);
        state.connections = rows.number(0, 5);
        state.schema = rows.text(0, 6);
        state.hidden_holders.clear();
        std::istringstream holders(rows.text(0, 7));
        for (std::string holder; std::getline(holders, holder, ',');) {
            state.hidden_holders.push_back(holder);
        }
    });
    return state;
}

std::map<std::string, std::vector<ToldGpuFault>> PostgresStore::list_gpu_faults(
    std::span<const std::string> gpu_uuids) {
    std::map<std::string, std::vector<ToldGpuFault>> faults;
    lanes_.bulk.look([&](Connection& db) {
        faults.clear();
        const Rows rows = db.run(sql::list_gpu_faults, {Keys(gpu_uuids.begin(), gpu_uuids.end())});
        for (int row = 0; row < rows.size(); ++row) {
            faults[rows.text(row, 0)].push_back({rows.real(row, 1), rows.text(row, 2)});
        }
    });
    return faults;
}

std::vector<Backup> PostgresStore::list_backups() {
    std::vector<Backup> backups;
    lanes_.bulk.look([&](Connection& db) {
        backups.clear();
        const Rows rows = db.run(sql::list_backups);
        for (int row = 0; row < rows.size(); ++row) {
            Backup backup;
            backup.backup_id = rows.text(row, 0);
            backup.folder = rows.text(row, 1);
            backup.host = rows.text(row, 2);
            backup.state = rows.text(row, 3);
            backup.artifacts = rows.text(row, 4);
            backup.started_s = rows.real(row, 5);
            backup.ended_s = rows.real(row, 6);
            backup.files = rows.number(row, 7);
            backup.bytes = rows.number(row, 8);
            backup.database_bytes = rows.number(row, 9);
            backup.error = rows.text(row, 10);
            backups.push_back(std::move(backup));
        }
    });
    return backups;
}

// Keeps rows as long as the retention rules say, and deletes them then.
namespace {

/// Rows of files that went another way than through the collector are of no use after so long.
constexpr double kLooseRow_s = 400 * 86400.0;

}  // namespace

std::vector<LooseFile> PostgresStore::note_loose_files(std::span<const std::string> files) {
    std::vector<LooseFile> loose;
    lanes_.steps.transact([&](Connection& db) {
        loose.clear();
        const Rows rows = db.run(sql::note_loose_files, {Keys(files.begin(), files.end())});
        for (int row = 0; row < rows.size(); ++row) {
            loose.push_back({rows.text(row, 0), rows.real(row, 1), rows.flag(row, 2)});
        }
    });
    return loose;
}

std::vector<std::string> PostgresStore::forget_files(std::span<const Removable> files,
                                                     const TakeFile& remove) {
    Keys hashes, gone;
    std::vector<std::string> least_s;
    for (const Removable& file : files) {
        hashes.push_back(file.sha256);
        least_s.push_back(std::to_string(file.least_s));
    }
    lanes_.steps.transact([&](Connection& db) {
        gone.clear();
        if (!db.run(sql::may_forget_files).flag(0, 0)) {
            return;
        }
        const Keys locked = db.run(sql::lock_loose_files, {hashes, least_s}).texts(0);
        const Keys results = db.run(sql::lock_results_of_files, {locked}).texts(0);
        // A statement of its own: it sees what was committed until the locks were there.
        for (const std::string& sha256 :
             db.run(sql::find_unused_files, {locked, results}).texts(0)) {
            if (remove(sha256)) {
                gone.push_back(sha256);
            }
        }
        db.run(sql::forget_files, {gone});
    });
    return gone;
}

void PostgresStore::adopt_checkpoints(std::span<const std::string> files) {
    lanes_.steps.transact([&](Connection& db) {
        db.run(sql::adopt_checkpoints, {Keys(files.begin(), files.end())});
    });
}

bool PostgresStore::begin_upkeep(double interval_s) {
    bool mine = false;
    lanes_.steps.transact(
        [&](Connection& db) { mine = !db.run(sql::begin_upkeep, {interval_s}).empty(); });
    return mine;
}

std::int64_t PostgresStore::prune(const History& history, int limit) {
    if (limit < 1) {
        throw Error(ErrorCode::InvalidArgument,
                    "limit of prune must be >= 1, got " + std::to_string(limit));
    }
    struct Kind {
        const char* statement;
        double age_s;
    };
    const std::array kinds = {Kind{sql::prune_attempts, history.ended_s},
                              Kind{sql::prune_ended_tasks, history.ended_s},
                              Kind{sql::prune_workers, history.ended_s},
                              Kind{sql::prune_gpu_faults, history.ended_s},
                              Kind{sql::prune_tokens, history.ended_s},
                              Kind{sql::prune_audit, history.audit_s},
                              Kind{sql::prune_refusals, history.refusals_s},
                              Kind{sql::prune_task_files, 0},
                              Kind{sql::prune_loose_files, kLooseRow_s}};
    std::int64_t n_removed = 0;
    for (const Kind& kind : kinds) {  // a transaction each: no lock is held for long
        std::int64_t n = 0;
        lanes_.steps.transact([&](Connection& db) {
            n = db.run(kind.statement, {kind.age_s, limit}).size();
        });
        n_removed += n;
    }
    return n_removed;
}

}  // namespace kaname::store
