// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"

// Who owns what, and who did what.
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

// Reads and sets the limits of owners, and counts their use.
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

// Tokens, and what is bound to them.
namespace {

Token token_of(const Rows& rows, int row) {
    return {rows.text(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
            rows.flag(row, 4), rows.real(row, 5), rows.real(row, 6), rows.real(row, 7),
            rows.real(row, 8), rows.text(row, 9)};
}

}  // namespace

Token PostgresStore::add_token(const NewToken& wanted, const Actor& actor) {
    Token token;
    const std::string id = token_id_of(wanted.sha256);
    access_pool_.transact([&](Connection& db) {
        if (!wanted.request.empty()) {
            db.run(sql::revoke_token_of_request, {wanted.request});
        }
        const bool is_new =
            !db.run(sql::insert_token, {id, wanted.sha256, wanted.name, wanted.role, wanted.place,
                                        wanted.lifetime_s, wanted.single})
                 .empty();
        token = token_of(db.run(sql::find_token, {id}), 0);
        if (is_new) {
            db.run(sql::set_token_request, {wanted.sha256, wanted.request});
            keep(db, actor, "MakeToken", "tokens/" + id + ' ' + wanted.name,
                 "ok, role " + wanted.role);
        }
    });
    return token;
}

std::vector<Token> PostgresStore::list_tokens() {
    std::vector<Token> tokens;
    access_pool_.look([&](Connection& db) {
        tokens.clear();
        const Rows rows = db.run(sql::list_tokens);
        for (int row = 0; row < rows.size(); ++row) {
            tokens.push_back(token_of(rows, row));
        }
    });
    return tokens;
}

Token PostgresStore::revoke_token(const std::string& id_or_name, const Actor& actor) {
    Token token;
    access_pool_.transact([&](Connection& db) {
        const Keys found = db.run(sql::find_tokens_named, {id_or_name}).texts(0);
        check_one_token(id_or_name, found);
        db.run(sql::revoke_token, {found.front()});
        token = token_of(db.run(sql::find_token, {found.front()}), 0);
        keep(db, actor, "RevokeToken", "tokens/" + token.token_id + ' ' + token.name);
    });
    return token;
}

void PostgresStore::revoke_tokens_of(const std::string& name, const std::string& place) {
    access_pool_.transact([&](Connection& db) { db.run(sql::revoke_tokens_of, {name, place}); });
}

LiveTokens PostgresStore::live_tokens(std::span<const std::string> used) {
    LiveTokens live;
    const auto read = [&](Connection& db) {
        live = {};
        const Rows rows = db.run(sql::list_live_tokens);
        for (int row = 0; row < rows.size(); ++row) {
            const bool expires = !rows.text(row, 4).empty();
            live.entries.push_back({rows.text(row, 0), rows.text(row, 1), rows.text(row, 2),
                                    rows.text(row, 3),
                                    expires ? std::optional(rows.real(row, 4)) : std::nullopt});
        }
    };
    if (used.empty()) {
        access_pool_.look(read);
    } else {
        access_pool_.transact([&](Connection& db) {
            db.run(sql::touch_tokens, {Keys(used.begin(), used.end())});
            read(db);
        });
    }
    return live;
}

std::optional<WorkerBinding> PostgresStore::find_binding(const std::string& worker_id,
                                                         const std::string& token_id) {
    std::optional<WorkerBinding> binding;
    lanes_.bulk.transact([&](Connection& db) {
        binding.reset();
        const Rows rows = db.run(sql::find_worker_token, {worker_id});
        if (rows.empty()) {
            return;
        }
        binding = WorkerBinding{rows.text(0, 0), rows.list(0, 1)};
        if (binding->token_id.empty()) {
            db.run(sql::bind_worker, {worker_id, token_id});
            binding->token_id = db.run(sql::find_worker_token, {worker_id}).text(0, 0);
        }
    });
    return binding;
}

bool PostgresStore::has_live_worker(const std::string& token_id, const std::string& worker_id) {
    bool found = false;
    lanes_.queue.look([&](Connection& db) {
        found = !db.run(sql::find_live_worker, {token_id, worker_id}).empty();
    });
    return found;
}

std::vector<std::string> PostgresStore::held_keys(const std::string& worker_id,
                                                  std::span<const Held> tasks) {
    std::vector<std::string> keys;
    std::vector<std::int64_t> ids, fences;
    for (const Held& held : tasks) {
        ids.push_back(held.task_id);
        fences.push_back(held.fence);
    }
    lanes_.bulk.look([&](Connection& db) {
        keys = db.run(sql::list_held_keys, {worker_id, ids, fences}).texts(0);
    });
    return keys;
}

void PostgresStore::note_result_uploads(const std::string& token_id,
                                        std::span<const std::string> sha256) {
    lanes_.bulk.transact([&](Connection& db) {
        db.run(sql::commit_lazily);
        db.run(sql::note_result_uploads, {token_id, Keys(sha256.begin(), sha256.end())});
    });
}

bool PostgresStore::has_uploaded(const std::string& token_id, const std::string& sha256) {
    bool found = false;
    lanes_.bulk.look([&](Connection& db) {
        found = !db.run(sql::find_result_upload, {token_id, sha256}).empty();
    });
    return found;
}

void PostgresStore::register_worker(const RegisteredWorker& worker) {
    lanes_.queue.transact([&](Connection& db) {
        const Rows token = db.run(sql::lock_token_of_one_worker, {worker.token_id});
        if (!token.empty() && token.flag(0, 0)) {
            const Rows other =
                db.run(sql::find_live_worker_of_token, {worker.token_id, worker.worker_id});
            if (!other.empty()) {
                throw_token_of_another(other.text(0, 0));
            }
        }
        if (!worker.token_id.empty() &&
            db.run(sql::count_live_workers, {worker.token_id, worker.worker_id}).number(0, 0) >=
                options_.live_workers_of_token) {
            throw_too_many_workers(options_);
        }
        if (!worker.gpu_uuids.empty()) {
            db.run(sql::lock_gpus);
            const Rows taken =
                db.run(sql::find_gpu_of_another, {worker.gpu_uuids, worker.token_id});
            if (!taken.empty()) {
                throw_gpu_of_another(taken.text(0, 1), taken.text(0, 0));
            }
        }
        if (!db.run(sql::register_worker,
                    {worker.worker_id, worker.name, worker.gpu_uuids, worker.host, worker.version,
                     worker.ranks, worker.threads, worker.token_id})
                 .empty()) {
            db.run(sql::note_drain_host, {worker.gpu_uuids, worker.host});
            return;
        }
        const Rows known = db.run(sql::find_worker_token, {worker.worker_id});
        if (!known.empty() && !known.flag(0, 2)) {
            throw_worker_of_another(worker.worker_id);
        }
        throw_worker_lost(worker.worker_id);
    });
}

}  // namespace kaname::store
