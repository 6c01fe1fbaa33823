// SPDX-License-Identifier: BSD-3-Clause
// Reads and sets the limits of owners, and counts their use.
#include <algorithm>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

namespace kaname::store {
namespace {

constexpr std::int64_t kUnlimited = -1;

std::optional<std::int64_t> limit_of(const Rows& rows, int row, int column) {
    const std::int64_t limit = rows.number(row, column);
    return limit == kUnlimited ? std::nullopt : std::optional(limit);
}

}  // namespace

void PostgresStore::set_quota(const OwnerQuota& quota, const Actor& actor) {
    lanes_.bulk.transact([&](Connection& db) {
        db.run(sql::set_owner_quota,
               {quota.owner, quota.queued.value_or(kUnlimited), quota.running.value_or(kUnlimited),
                quota.bytes.value_or(kUnlimited), quota.weight});
        keep(db, actor, "SetQuota", "owners/" + quota.owner, "ok: " + quota_text(quota));
    });
}

std::vector<OwnerQuota> PostgresStore::list_quotas() {
    std::vector<OwnerQuota> quotas;
    lanes_.queue.look([&](Connection& db) {
        quotas.clear();
        const Rows rows = db.run(sql::list_owner_quotas);
        for (int row = 0; row < rows.size(); ++row) {
            quotas.push_back({rows.text(row, 0), limit_of(rows, row, 1), limit_of(rows, row, 2),
                              limit_of(rows, row, 3), rows.real(row, 4)});
        }
    });
    return quotas;
}

OwnerUse PostgresStore::use_of(const std::string& owner) {
    OwnerUse use;
    lanes_.bulk.look([&](Connection& db) {
        const Rows rows = db.run(sql::use_of_owner, {owner});
        use = {rows.number(0, 0), rows.number(0, 1), rows.number(0, 2)};
    });
    return use;
}

bool PostgresStore::knows_request(const std::string& principal, const std::string& request_id) {
    bool known = false;
    lanes_.bulk.look([&](Connection& db) {
        known = !db.run(sql::find_request, {principal, request_id}).empty();
    });
    return known;
}

void PostgresStore::note_upload(const std::string& owner, const OwnerUpload& upload) {
    lanes_.bulk.transact([&](Connection& db) {
        db.run(sql::note_owner_upload, {owner, upload.sha256, upload.bytes});
    });
}

std::vector<OwnerUpload> PostgresStore::list_uploads(const std::string& owner) {
    std::vector<OwnerUpload> uploads;
    lanes_.bulk.look([&](Connection& db) {
        uploads.clear();
        const Rows rows = db.run(sql::list_owner_uploads, {owner});
        for (int row = 0; row < rows.size(); ++row) {
            uploads.push_back({rows.text(row, 0), rows.number(row, 1)});
        }
    });
    return uploads;
}

void PostgresStore::forget_uploads(const std::string& owner, std::span<const std::string> sha256) {
    lanes_.bulk.transact([&](Connection& db) {
        db.run(sql::forget_owner_uploads, {owner, Keys(sha256.begin(), sha256.end())});
    });
}

int PostgresStore::room_for(Connection& db, const ClaimRequest& request, const std::string& owner) {
    const auto limit = request.running_limits.find(owner);
    if (limit == request.running_limits.end()) {
        return options_.max_pack;
    }
    db.run(sql::lock_owner_quota, {owner});
    const std::int64_t running = db.run(sql::count_running_of_owner, {owner}).number(0, 0);
    return static_cast<int>(
        std::clamp<std::int64_t>(limit->second - running, 0, options_.max_pack));
}

}  // namespace kaname::store
