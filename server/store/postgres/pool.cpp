// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/pool.hpp"

#include <thread>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/fail_point.hpp"

namespace kaname::store {
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
        throw Error(ErrorCode::Unavailable, "database: all connections are in use");
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

void Pool::reset() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
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
                throw Error(ErrorCode::Unavailable, "database: " + lost.message);
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
