// SPDX-License-Identifier: BSD-3-Clause
// Keeps rows as long as the retention rules say, and deletes them then.
#include <array>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
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
