// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/connection.hpp"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <utility>

#include <poll.h>

#include "proto/reason/reasoned_error.hpp"
#include "server/store/postgres/sql.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"

namespace kaname::store {
namespace {

std::string message_of(PGconn* connection) {
    std::string text = PQerrorMessage(connection);
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

/// Returns the server's message about a statement, without the statement's text.
std::string message_of(const PGresult* result, PGconn* connection) {
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (primary == nullptr) {
        return message_of(connection);
    }
    const char* detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
    return primary + (detail == nullptr ? "" : ": " + std::string(detail));
}

void quiet(void*, const PGresult*) {}

std::atomic<std::int64_t> n_sent{0};

using Result = std::unique_ptr<PGresult, void (*)(PGresult*)>;

// A call on a server that is gone without a word fails within 10 s: silence, a ping, another try.
constexpr int kSilence_ms = 4000;
constexpr const char* kPing_s = "2";
/// kKeywords and Values set connection parameters that a conninfo may override.
constexpr const char* const kKeywords[] = {"connect_timeout",
                                           "keepalives_idle",
                                           "keepalives_interval",
                                           "keepalives_count",
                                           "tcp_user_timeout",
                                           "dbname",
                                           nullptr};
struct Values {
    explicit Values(const std::string& conninfo)
        : pointers{"2", "5", "2", "3", "8000", conninfo.c_str(), nullptr} {}
    const char* pointers[7];
};

}  // namespace

std::string Rows::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::number(int row, int column) const {
    return std::strtoll(PQgetvalue(result_.get(), row, column), nullptr, 10);
}

double Rows::real(int row, int column) const {
    return std::strtod(PQgetvalue(result_.get(), row, column), nullptr);
}

Param::Param(double value) {
    char buffer[40];
    text.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::vector<std::string> Rows::list(int row, int column) const {
    std::vector<std::string> parts;
    std::istringstream in(text(row, column));
    for (std::string part; std::getline(in, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

std::vector<std::string> Rows::texts(int column) const {
    std::vector<std::string> values;
    for (int row = 0; row < size(); ++row) {
        values.push_back(text(row, column));
    }
    return values;
}

Param::Param(const std::vector<std::string>& values) {
    text = "{";
    for (const std::string& value : values) {
        text += text.size() > 1 ? ",\"" : "\"";
        for (const char c : value) {
            if (c == '"' || c == '\\') {
                text += '\\';
            }
            text += c;
        }
        text += '"';
    }
    text += '}';
}

Param::Param(const std::vector<std::int64_t>& values) {
    text = "{";
    for (const std::int64_t value : values) {
        text += (text.size() > 1 ? "," : "") + std::to_string(value);
    }
    text += '}';
}

Connection::Connection(const std::string& conninfo, Plans plans)
    : conninfo_(conninfo),
      connection_(PQconnectdbParams(kKeywords, Values(conninfo).pointers, 1), PQfinish) {
    if (!usable() || PQsetnonblocking(connection_.get(), 1) != 0) {
        throw ConnectionLost{message_of(connection_.get())};
    }
    PQsetNoticeReceiver(connection_.get(), quiet, nullptr);
    // Nobody may hold a transaction open: it would keep dead rows of the queue alive.
    run_script(
        "set statement_timeout = '60s'; set idle_in_transaction_session_timeout = '30s'; "
        "set lock_timeout = '30s'; set timezone = 'UTC'; set client_min_messages = 'warning'");
    // By rule, for the queue's tables grow and shrink faster than statistics follow: each step has
    // an index to begin with, and one plan serves for all parameters.
    run_script(plans == Plans::ByRule
                   ? "set plan_cache_mode = 'force_generic_plan'; set enable_seqscan = off; "
                     "set enable_hashjoin = off; set enable_mergejoin = off; "
                     "set enable_bitmapscan = off; set enable_material = off; set jit = off"
                   : "set plan_cache_mode = 'force_custom_plan'; set jit = off");
}

bool Connection::server_answers() const {
    const char* const keywords[] = {"dbname", "connect_timeout", nullptr};
    const char* const values[] = {conninfo_.c_str(), kPing_s, nullptr};
    return PQpingParams(keywords, values, 1) == PQPING_OK;
}

/// The last result of what was sent, or the first that failed.
PGresult* Connection::await() {
    PGconn* db = connection_.get();
    Result kept(nullptr, PQclear);
    for (;;) {
        const int unsent = PQflush(db);
        if (unsent == 0 && PQisBusy(db) == 0) {
            Result next(PQgetResult(db), PQclear);
            if (!next) {
                return kept.release();
            }
            if (!kept || PQresultStatus(kept.get()) != PGRES_FATAL_ERROR) {
                kept = std::move(next);
            }
            continue;
        }
        pollfd socket{PQsocket(db), static_cast<short>(POLLIN | (unsent > 0 ? POLLOUT : 0)), 0};
        const int ready = ::poll(&socket, 1, kSilence_ms);
        // A long statement of a server that is there is waited for.
        if (unsent < 0 || (ready == 0 && !server_answers())) {
            throw ConnectionLost{"the server does not answer"};
        }
        if (ready > 0 && PQconsumeInput(db) == 0) {
            throw ConnectionLost{message_of(db)};
        }
    }
}

std::int64_t Connection::n_statements() {
    return n_sent;
}

Rows Connection::sent(int ok, const char* sql) {
    if (ok != 1) {
        throw ConnectionLost{message_of(connection_.get())};
    }
    return check(await(), sql);
}

void Connection::prepare(const char* sql) {
    const std::string name = "s" + std::to_string(prepared_.size());
    (void)sent(PQsendPrepare(connection_.get(), name.c_str(), sql, 0, nullptr), sql);
    prepared_.emplace(sql, name);
}

Rows Connection::run(const char* sql, std::initializer_list<Param> params) {
    ++n_sent;
    if (params.size() == 0) {
        return sent(PQsendQuery(connection_.get(), sql), sql);
    }
    if (!prepared_.contains(sql)) {
        prepare(sql);
    }
    std::vector<const char*> values;
    for (const Param& param : params) {
        if (param.text.find('\0') != std::string::npos) {  // it would end there, unseen
            throw Error(
                ErrorCode::InvalidArgument,
                "text must have no NUL, got '" + shown_on_a_line(param.text.substr(0, 200)) + "'");
        }
        values.push_back(param.text.c_str());
    }
    return sent(
        PQsendQueryPrepared(connection_.get(), prepared_.at(sql).c_str(),
                            static_cast<int>(values.size()), values.data(), nullptr, nullptr, 0),
        sql);
}

void Connection::run_script(const std::string& sql) {
    (void)sent(PQsendQuery(connection_.get(), sql.c_str()), sql.c_str());
}

Rows Connection::check(PGresult* result, const char* sql) {
    Rows rows(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
        return rows;
    }
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string code = state != nullptr ? state : "";
    const std::string message = message_of(result, connection_.get());
    // 23505: another wrote the same key meanwhile; looked at again, it is there.
    if (code == "40001" || code == "40P01" || code == "55P03" || code == "23505") {
        throw TransactionConflict{message};
    }
    if (code == "57014") {
        throw Error(ErrorCode::Unavailable,
                    "database: a statement took longer than statement_timeout: " + message);
    }
    // 57P..: the server ends the session; 53...: it is out of resources.
    if (!usable() || code.empty() || code.starts_with("57") || code.starts_with("08")) {
        throw ConnectionLost{message};
    }
    if (code.starts_with("53")) {
        throw Error(ErrorCode::Exhausted, "database: " + message);
    }
    if (code == "25006") {
        throw rpc::ReasonedError(
            ErrorCode::Unavailable, rpc::kDatabaseUnavailable,
            "database: it takes no changes now (a standby, or a failover under way): " + message);
    }
    if (code == "42501") {
        throw Error(
            ErrorCode::NotReady,
            "database: its role lacks a right (kaname doctor --config says which): " + message);
    }
    const std::string name = statement_name(sql);
    throw Error(ErrorCode::Internal,
                "database: " + message + (name.empty() ? "" : " (statement " + name + ")"));
}

namespace {

constexpr int kConflictTries = 20;
constexpr std::chrono::seconds kBorrowPatience{8};

/// Leaves no connection behind when it was lost on the way.
void roll_back(std::unique_ptr<Connection>& connection) {
    try {
        connection->run("rollback");
    } catch (const ConnectionLost&) {
        connection.reset();
    }
}

}  // namespace

Pool::Pool(std::string conninfo, int size, Plans plans)
    : conninfo_(std::move(conninfo)), plans_(plans), free_(size) {}

std::unique_ptr<Connection> Pool::borrow() {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, kBorrowPatience, [&] { return free_ > 0; })) {
        throw rpc::ReasonedError(ErrorCode::Unavailable, rpc::kDatabaseUnavailable,
                                 "database: all connections are in use");
    }
    --free_;
    if (idle_.empty()) {
        return nullptr;
    }
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    ++free_;
    if (connection && connection->usable()) {
        idle_.push_back(std::move(connection));
    } else {
        idle_.clear();  // the others most likely went with it
    }
    freed_.notify_one();
}

void Pool::on_connect(std::function<void(Connection&)> prepare) {
    const std::lock_guard lock(mutex_);
    prepare_ = std::move(prepare);
    try {
        for (const std::unique_ptr<Connection>& connection : idle_) {
            prepare_(*connection);
        }
    } catch (const ConnectionLost&) {
        idle_.clear();
    }
}

void Pool::run(const std::function<void(Connection&)>& body, bool in_words) {
    std::unique_ptr<Connection> connection = borrow();
    struct Return {
        Pool& pool;
        std::unique_ptr<Connection>& connection;
        ~Return() { pool.give_back(std::move(connection)); }
    } give{*this, connection};

    bool reconnected = false;
    for (int conflicts = 0;;) {
        try {
            if (!connection) {
                reconnected = true;
                connection = std::make_unique<Connection>(conninfo_, plans_);
                if (prepare_) {
                    prepare_(*connection);
                }
            }
            if (!in_words) {
                body(*connection);
                return;
            }
            connection->run("begin");
            body(*connection);
            fail_point("store.committing");
            connection->run("commit");
            fail_point("store.committed");
            return;
        } catch (const ConnectionLost& lost) {
            connection.reset();
            if (reconnected) {
                throw rpc::ReasonedError(ErrorCode::Unavailable, rpc::kDatabaseUnavailable,
                                         "database: " + lost.message);
            }
        } catch (const TransactionConflict& conflict) {
            if (in_words) {
                roll_back(connection);
            }
            if (++conflicts >= kConflictTries) {
                throw Error(ErrorCode::Unavailable, "database: " + conflict.message);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2 * conflicts));
        } catch (...) {
            if (in_words) {
                roll_back(connection);
            }
            throw;
        }
    }
}

}  // namespace kaname::store
