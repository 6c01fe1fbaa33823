// SPDX-License-Identifier: BSD-3-Clause
// Who owns what, and who did what.
#include <algorithm>
#include <limits>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

namespace kaname::store {

void PostgresStore::keep(Connection& db, const Actor& actor, const char* method,
                         const std::string& resource, const std::string& outcome) {
    if (!actor.name.empty()) {
        db.run(sql::insert_audit, {actor.name, actor.role, method, resource, outcome});
    }
}

void PostgresStore::record(const AuditEvent& event) {
    access_pool_.transact([&](Connection& db) {
        db.run(sql::insert_audit,
               {event.principal, event.role, event.method, event.resource, event.outcome});
    });
}

Page<AuditEvent> PostgresStore::list_audit(int limit, const std::string& token,
                                           const AuditFilter& filter) {
    const std::int64_t before =
        parse_token(kAuditListing, token, std::numeric_limits<std::int64_t>::max());
    const int size = clamp_limit(limit);
    Page<AuditEvent> page;
    access_pool_.look([&](Connection& db) {
        page = {};
        const Rows rows = db.run(
            sql::list_audit, {before, size + 1, filter.principal, filter.method, filter.resource,
                              filter.refused, filter.from_s, filter.until_s});
        for (int row = 0; row < std::min(size, rows.size()); ++row) {
            page.rows.push_back({rows.number(row, 0), rows.real(row, 1), rows.text(row, 2),
                                 rows.text(row, 3), rows.text(row, 4), rows.text(row, 5),
                                 rows.text(row, 6)});
        }
        if (rows.size() > size) {
            page.next = make_token(kAuditListing, page.rows.back().event_id);
        }
    });
    return page;
}

std::string PostgresStore::job_owner(const std::string& job_id) {
    std::string owner;
    lanes_.bulk.look([&](Connection& db) {
        const Rows rows = db.run(sql::find_job_owner, {job_id});
        if (rows.empty()) {
            throw_no_job(job_id);
        }
        owner = rows.text(0, 0);
    });
    return owner;
}

}  // namespace kaname::store
