// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/postgres_backup.hpp"

#include <chrono>
#include <functional>
#include <thread>

#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {
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
        throw Error(ErrorCode::Unavailable, "database: " + lost.message);
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
