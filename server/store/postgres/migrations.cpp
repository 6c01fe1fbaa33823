// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/migrations.hpp"

#include <algorithm>
#include <map>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

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

// Checks that a database of somebody else fits before the first change of it.
namespace {

constexpr std::int64_t kOldestVersion = 130000;

std::string pid_of(Connection& db) {
    return db.run(sql::name_session).text(0, 0);
}

/// Tells a pooler that gives a session's next transaction to another session of the server: while
/// one connection holds a transaction open, the other's session is a third, or was the same.
bool keeps_session(Connection& db, Connection& other) {
    const std::string before = pid_of(db);
    try {
        other.run("begin");
    } catch (const ConnectionLost&) {  // a pooler in statement mode takes no transactions
        (void)pid_of(db);              // else the server itself is away
        return false;
    }
    const std::string beside = pid_of(other);
    const std::string after = pid_of(db);
    other.run("rollback");
    return before == after && before != beside;
}

void look_at_rights(Connection& db, std::vector<UnmetNeed>& needs) {
    const Rows rights = db.run(sql::look_at_rights);
    const std::string role = rights.text(0, 0), database = rights.text(0, 1),
                      schema = rights.text(0, 2), owner = rights.text(0, 4);
    if (schema.empty()) {
        needs.push_back(
            {true, "the search_path of role " + role + " must name a schema that exists",
             "alter role " + role + " in database " + database + " set search_path = public"});
    } else if (!rights.flag(0, 3)) {
        needs.push_back({true,
                         "role " + role + " must be allowed to make tables in schema " + schema +
                             " of database " + database + ", and is not",
                         "grant usage, create on schema " + schema + " to " + role});
    }
    if (!owner.empty() && !rights.flag(0, 5)) {
        needs.push_back({true,
                         "role " + role + " must own the tables of Kaname in database " + database +
                             ", which are those of role " + owner,
                         "grant " + owner + " to " + role});
    }
    if (!rights.flag(0, 6)) {
        needs.push_back(
            {false,
             "role " + role + " does not see since when transactions of other roles are open",
             "grant pg_monitor to " + role});
    }
}

/// `ours`: sessions of the role that this look has itself.
void look_at_room(Connection& db, int ours, std::vector<UnmetNeed>& needs) {
    const Rows limits = db.run(sql::look_at_session_limits);
    for (int row = 0; row < limits.size(); ++row) {
        const std::int64_t limit = limits.number(row, 1);
        const std::int64_t room = std::max<std::int64_t>(0, limit - limits.number(row, 2) + ours);
        if (limit < 0 || room >= kMostSessions) {
            continue;
        }
        const std::int64_t wanted = limit - room + kMostSessions;
        needs.push_back({room < kLeastSessions,
                         limits.text(row, 0) + " must leave room for " +
                             std::to_string(kMostSessions) + " sessions of a server (" +
                             std::to_string(kLeastSessions) + " at the least), got " +
                             std::to_string(room) + " of " + std::to_string(limit),
                         limits.text(row, 3) + ' ' + std::to_string(wanted)});
    }
}

}  // namespace

std::vector<UnmetNeed> unmet_needs(const std::string& conninfo) {
    try {
        Connection db(conninfo);
        std::vector<UnmetNeed> needs;
        const Rows about = db.run(sql::look_at_settings);
        if (about.number(0, 0) < kOldestVersion) {
            needs.push_back({true, "PostgreSQL must be 13 or newer, got " + about.text(0, 1),
                             "use a newer server"});
            return needs;
        }
        if (about.flag(0, 2)) {
            needs.push_back({true, "it must accept changes, got a standby or a read-only database",
                             "name the primary server in the connection string, perhaps with "
                             "target_session_attrs=read-write"});
        }
        if (about.text(0, 3) != "UTF8") {
            needs.push_back({true, "its encoding must be UTF8, got " + about.text(0, 3),
                             "create database kaname owner " + about.text(0, 4) +
                                 " encoding 'UTF8' template template0"});
        }
        look_at_rights(db, needs);
        look_at_room(db, 1, needs);
        const bool has_room = std::ranges::none_of(needs, &UnmetNeed::fatal);
        if (has_room) {
            Connection other(conninfo);
            if (!keeps_session(db, other)) {
                needs.push_back(
                    {true,
                     "a connection must stay one session, got a pooler in transaction or statement "
                     "mode",
                     "set pool_mode=session for this database (pgbouncer.ini), or name the port of "
                     "PostgreSQL itself"});
            }
        }
        return needs;
    } catch (const ConnectionLost& lost) {
        throw Error(ErrorCode::Unavailable, "database: " + lost.message);
    } catch (const TransactionConflict& conflict) {
        throw Error(ErrorCode::Unavailable, "database: " + conflict.message);
    }
}

std::vector<std::string> check_needs(const std::string& conninfo) {
    std::vector<std::string> left;
    for (const UnmetNeed& need : unmet_needs(conninfo)) {
        if (need.fatal) {
            throw Error(ErrorCode::NotReady,
                        "database: " + need.message + "; what helps: " + need.remedy);
        }
        left.push_back("database: " + need.message + "; what helps: " + need.remedy);
    }
    return left;
}

}  // namespace kaname::store
