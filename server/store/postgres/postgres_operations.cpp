// SPDX-License-Identifier: BSD-3-Clause
// Reads the state that operators look at: failures, the queue's age, the database itself, backups.
#include <sstream>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"

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

}  // namespace kaname::store
