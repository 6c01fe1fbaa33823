// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/migrations.hpp"

#include <map>

#include "server/store/postgres/sql.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::store {
namespace {

void run_migration(Connection& db, const Migration& migration) {
    try {
        db.run_script(migration.sql);
    } catch (const Error& error) {
        throw Error(error.code(), "migration " + migration.name + ": " + error.what());
    }
}

std::vector<std::string> apply(Connection& db, bool check_only,
                               const std::vector<Migration>& migrations) {
    db.run(sql::lock_migrations);
    db.run(sql::create_migration_table);
    std::map<std::string, std::string> applied;
    const Rows rows = db.run(sql::list_migrations);
    for (int row = 0; row < rows.size(); ++row) {
        applied[rows.text(row, 0)] = rows.text(row, 1);
    }
    std::vector<std::string> missing;
    for (const Migration& migration : migrations) {
        const std::string hash = sha256_hex(migration.sql);
        const auto found = applied.find(migration.name);
        if (found == applied.end()) {
            missing.push_back(migration.name);
            if (!check_only) {
                run_migration(db, migration);
                db.run(sql::record_migration, {migration.name, hash});
            }
            continue;
        }
        if (found->second != hash) {
            throw Error(ErrorCode::Conflict, "database: migration " + migration.name +
                                                 " was applied with the checksum " + found->second +
                                                 ", this server has " + hash);
        }
        applied.erase(found);
    }
    if (!applied.empty()) {
        throw Error(ErrorCode::Conflict, "database: it has migration " + applied.begin()->first +
                                             ", which this server does not know; use a newer one");
    }
    return missing;
}

}  // namespace

std::vector<std::string> migrate(Pool& pool, bool check_only,
                                 const std::vector<Migration>& migrations) {
    std::vector<std::string> names;
    pool.transact([&](Connection& db) { names = apply(db, check_only, migrations); });
    return names;
}

}  // namespace kaname::store
