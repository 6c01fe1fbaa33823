// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "server/store/postgres/connection.hpp"

namespace kaname::store {

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
    /// Called for every fresh connection.
    void on_connect(std::function<void(Connection&)> prepare) { prepare_ = std::move(prepare); }
    /// Forgets idle connections, so that prepare runs again.
    void reset();

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
