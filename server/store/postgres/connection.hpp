// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

namespace kaname::store {

/// The connection is gone; what was under way is rolled back or, during a commit, unknown.
struct ConnectionLost {
    std::string message;
};
/// A deadlock or a serialization failure: the transaction may be run again.
struct TransactionConflict {
    std::string message;
};

/// Rows of one statement.
class Rows {
public:
    explicit Rows(PGresult* result) : result_(result, PQclear) {}

    [[nodiscard]] int size() const { return PQntuples(result_.get()); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::string text(int row, int column) const;
    [[nodiscard]] std::int64_t number(int row, int column) const;
    [[nodiscard]] double real(int row, int column) const;
    [[nodiscard]] bool flag(int row, int column) const { return text(row, column) == "t"; }
    /// An array that the statement joined by commas.
    [[nodiscard]] std::vector<std::string> list(int row, int column) const;
    /// One column of all rows.
    [[nodiscard]] std::vector<std::string> texts(int column) const;

private:
    std::unique_ptr<PGresult, void (*)(PGresult*)> result_;
};

/// One parameter, as text.
class Param {
public:
    Param(std::string value) : text(std::move(value)) {}        // NOLINT(*-explicit-*)
    Param(std::string_view value) : text(value) {}              // NOLINT(*-explicit-*)
    Param(const char* value) : text(value) {}                   // NOLINT(*-explicit-*)
    Param(std::int64_t value) : text(std::to_string(value)) {}  // NOLINT(*-explicit-*)
    Param(int value) : text(std::to_string(value)) {}           // NOLINT(*-explicit-*)
    Param(bool value) : text(value ? "true" : "false") {}       // NOLINT(*-explicit-*)
    Param(double value);                                        // NOLINT(*-explicit-*)
    Param(const std::vector<std::string>& values);              // NOLINT(*-explicit-*)
    Param(const std::vector<std::int64_t>& values);             // NOLINT(*-explicit-*)

    std::string text;
};

/// How statements are planned: by what they cost says the statistics, or always by an index.
enum class Plans { ByCost, ByRule };

/// One session with the database. A server that falls silent is lost after some seconds, a long
/// statement of one that answers others is waited for.
class Connection {
public:
    /// Throws ConnectionLost when it cannot be made.
    explicit Connection(const std::string& conninfo, Plans plans = Plans::ByCost);

    /// One statement with parameters $1, $2 ..., prepared at its first use: `sql` is one of sql.hpp
    /// or another text that stays where it is. Throws ConnectionLost, TransactionConflict,
    /// Unavailable when it took longer than statement_timeout, or Error(Internal) naming the
    /// statement: the statements are ours, so their failure is a bug.
    Rows run(const char* sql, std::initializer_list<Param> params = {});
    /// Several statements without parameters (migrations).
    void run_script(const std::string& sql);
    /// Statements that this process has sent so far, for measurements.
    [[nodiscard]] static std::int64_t n_statements();
    [[nodiscard]] bool usable() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

private:
    void prepare(const char* sql);
    Rows sent(int ok, const char* sql);
    PGresult* await();
    [[nodiscard]] bool server_answers() const;
    Rows check(PGresult* result, const char* sql);

    std::string conninfo_;
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
    std::map<const char*, std::string> prepared_;  ///< name by statement
};

/// Connections that calls borrow. A call is one transaction.
class Pool {
public:
    /// Nothing is connected before it is needed.
    Pool(std::string conninfo, int size, Plans plans = Plans::ByCost);

    /// Runs `body` between begin and commit. It is run again after a conflict, and once more on a
    /// fresh connection when the old one was lost: so it must be repeatable, as every call of the
    /// store is. Throws Unavailable when the database cannot be reached.
    void transact(const std::function<void(Connection&)>& body) { run(body, true); }
    /// Runs one statement that reads, without the words around it: it is a transaction by itself.
    /// Otherwise as transact.
    void look(const std::function<void(Connection&)>& statement) { run(statement, false); }
    /// Called for every fresh connection, and now for those that are idle: they keep their
    /// statements and plans.
    void on_connect(std::function<void(Connection&)> prepare);

private:
    void run(const std::function<void(Connection&)>& body, bool in_words);
    std::unique_ptr<Connection> borrow();
    void give_back(std::unique_ptr<Connection> connection);

    std::string conninfo_;
    Plans plans_;
    int free_;
    std::function<void(Connection&)> prepare_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace kaname::store
