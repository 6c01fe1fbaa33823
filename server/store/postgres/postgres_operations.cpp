// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/postgres_operations.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <sstream>
#include <thread>

#include "proto/reason/reasoned_error.hpp"
#include "server/store/postgres/connection.hpp"
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

std::map<std::string, std::vector<ReportedGpuFault>> PostgresStore::list_gpu_faults(
    std::span<const std::string> gpu_uuids) {
    std::map<std::string, std::vector<ReportedGpuFault>> faults;
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

namespace {

/// A sweep holds the lock for the time of one piece.
constexpr std::chrono::seconds kSweepPatience{60};
constexpr std::chrono::milliseconds kLook{100};

/// Runs `body` and turns the exceptions of the connection into errors.
template <class Body>
auto told(const Body& body) {
    try {
        return body();
    } catch (const ConnectionLost& lost) {
        throw rpc::ReasonedError(ErrorCode::Unavailable, rpc::kDatabaseUnavailable,
                                 "database: " + lost.message);
    } catch (const TransactionConflict& conflict) {
        throw Error(ErrorCode::Unavailable, "database: " + conflict.message);
    }
}

}  // namespace

std::map<std::string, std::optional<std::string>> environment_of(const std::string& conninfo) {
    char* error = nullptr;
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
        PQconninfoParse(conninfo.c_str(), &error), PQconninfoFree);
    if (!parsed) {
        const std::string why = error != nullptr ? error : "no memory";
        PQfreemem(error);
        throw Error(ErrorCode::InvalidArgument, "--database: " + why);
    }
    std::map<std::string, std::optional<std::string>> variables;
    for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr && option->envvar != nullptr) {
            variables[option->envvar] = option->val;
        }
    }
    return variables;
}

std::string database_name(const std::string& conninfo) {
    return told([&] {
        Connection db(conninfo);
        return db.run(sql::name_database).text(0, 0);
    });
}

BackupSession::BackupSession(const std::string& conninfo)
    : db_(told([&] { return std::make_unique<Connection>(conninfo); })) {
    told([&] {
        // It waits for pg_dump with a transaction open, and may read millions of rows.
        db_->run_script(
            "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; "
            "set lock_timeout = 0");
        const auto deadline = std::chrono::steady_clock::now() + kSweepPatience;
        while (!db_->run(sql::hold_files).flag(0, 0)) {
            if (std::chrono::steady_clock::now() > deadline) {
                throw Error(ErrorCode::Conflict, "another backup of this database is being made");
            }
            std::this_thread::sleep_for(kLook);
        }
    });
}

BackupSession::~BackupSession() = default;

void BackupSession::begin(const Backup& backup) {
    told([&] {
        db_->run(sql::begin_backup,
                 {backup.backup_id, backup.folder, backup.host, backup.artifacts});
    });
}

void BackupSession::end(const Backup& backup) {
    told([&] {
        db_->run(sql::end_backup, {backup.backup_id, backup.state, backup.files, backup.bytes,
                                   backup.database_bytes, backup.error});
    });
}

std::string BackupSession::begin_snapshot() {
    return told([&] {
        db_->run(sql::begin_snapshot);
        return db_->run(sql::export_snapshot).text(0, 0);
    });
}

void BackupSession::end_snapshot() {
    told([&] { db_->run("commit"); });
}

std::vector<std::string> BackupSession::files_in_use() {
    return told([&] { return db_->run(sql::list_files_in_use).texts(0); });
}

std::vector<std::string> BackupSession::migrations() {
    return told([&] { return db_->run(sql::list_migrations).texts(0); });
}

std::optional<ArtifactStoreId> BackupSession::artifact_store() {
    return told([&]() -> std::optional<ArtifactStoreId> {
        const Rows rows = db_->run(sql::find_artifact_store);
        return rows.empty() ? std::nullopt
                            : std::optional(ArtifactStoreId{rows.text(0, 0), rows.text(0, 1)});
    });
}

bool is_empty_database(const std::string& conninfo) {
    return told([&] {
        Connection db(conninfo);
        return db.run(sql::count_tables).number(0, 0) == 0;
    });
}

void settle_restored(const std::string& conninfo) {
    Pool pool(conninfo, 1);
    pool.transact([](Connection& db) {
        db.run(sql::begin_at_first_steps);
        db.run(sql::forget_all_checkpoints);
    });
}

}  // namespace kaname::store
