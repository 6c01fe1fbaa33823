// SPDX-License-Identifier: BSD-3-Clause
// Worker jobs of batch systems.
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {

void PostgresStore::add_dispatch(const Dispatch& dispatch) {
    lanes_.queue.transact([&](Connection& db) {
        if (db.run(sql::insert_dispatch, {dispatch.dispatch_id, dispatch.place, dispatch.pool})
                .empty()) {
            throw_dispatch_known(dispatch.dispatch_id);
        }
    });
}

bool PostgresStore::change_dispatch(const Dispatch& dispatch) {
    bool changed = false;
    lanes_.queue.transact([&](Connection& db) {
        changed = !db.run(sql::change_dispatch,
                          {dispatch.dispatch_id, dispatch.native_id, to_string(dispatch.state),
                           dispatch.reason,
                           dispatch.exit_code ? std::to_string(*dispatch.exit_code) : ""})
                       .empty();
    });
    return changed;
}

std::vector<Dispatch> PostgresStore::list_dispatches(const std::string& place,
                                                     double ended_within_s) {
    std::vector<Dispatch> dispatches;
    lanes_.queue.look([&](Connection& db) {
        dispatches.clear();
        const Rows rows = db.run(sql::list_dispatches, {place, ended_within_s});
        for (int row = 0; row < rows.size(); ++row) {
            Dispatch dispatch{rows.text(row, 0),
                              rows.text(row, 1),
                              rows.text(row, 2),
                              rows.text(row, 3),
                              parse_dispatch_state(rows.text(row, 4)),
                              rows.text(row, 5)};
            if (!rows.text(row, 6).empty()) {
                dispatch.exit_code = static_cast<int>(rows.number(row, 6));
            }
            dispatch.intended_s = rows.real(row, 7);
            dispatch.ended_s = rows.real(row, 8);
            dispatches.push_back(std::move(dispatch));
        }
    });
    return dispatches;
}

std::int64_t PostgresStore::forget_dispatches(double ended_before_s) {
    std::int64_t n = 0;
    lanes_.queue.transact(
        [&](Connection& db) { n = db.run(sql::forget_dispatches, {ended_before_s}).size(); });
    return n;
}

std::vector<std::int64_t> PostgresStore::count_ready(std::span<const std::string> pools,
                                                     std::int64_t most) {
    std::vector<std::int64_t> counts;
    lanes_.queue.transact([&](Connection& db) {
        counts.clear();
        for (const std::string& pool : pools) {
            counts.push_back(db.run(sql::count_ready_of_pool, {pool, most}).number(0, 0));
        }
    });
    return counts;
}

}  // namespace kaname::store
