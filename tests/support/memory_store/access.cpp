// SPDX-License-Identifier: BSD-3-Clause
// Tokens, what is bound to them, and the audit.
#include <algorithm>
#include <limits>
#include <ranges>

#include "server/store/rules.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_store/memory_store.hpp"

namespace kaname::store::memory {
namespace {

bool is_live(const Token& token, double now_s) {
    return token.revoked_s == 0 && (token.expires_s == 0 || token.expires_s > now_s);
}

}  // namespace

void MemoryStore::keep(const Actor& actor, const char* method, const std::string& resource,
                       const std::string& outcome) {
    if (!actor.name.empty()) {
        audit_.push_back({static_cast<std::int64_t>(audit_.size()) + 1, clock_(), actor.name,
                          actor.role, method, resource, outcome});
    }
}

Token MemoryStore::add_token(const NewToken& wanted, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    if (!wanted.request.empty()) {
        for (Token& token : tokens_) {
            if (token.token_id == token_of_request_[wanted.request] && token.revoked_s == 0) {
                token.revoked_s = clock_();
            }
        }
        token_of_request_[wanted.request] = token_id_of(wanted.sha256);
    }
    const auto known = std::ranges::find(tokens_, wanted.sha256, &Token::sha256);
    if (known != tokens_.end()) {
        return *known;
    }
    Token token;
    token.token_id = token_id_of(wanted.sha256);
    token.name = wanted.name;
    token.role = wanted.role;
    token.place = wanted.place;
    token.single = wanted.single;
    token.created_s = clock_();
    token.expires_s = wanted.lifetime_s > 0 ? clock_() + wanted.lifetime_s : 0;
    token.sha256 = wanted.sha256;
    tokens_.push_back(token);
    keep(actor, "MakeToken", "tokens/" + token.token_id + ' ' + token.name,
         "ok, role " + token.role);
    return token;
}

std::vector<Token> MemoryStore::list_tokens() {
    const std::lock_guard lock(mutex_);
    return {tokens_.rbegin(), tokens_.rend()};
}

Token MemoryStore::revoke_token(const std::string& id_or_name, const Actor& actor) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    Token* last = nullptr;
    for (Token& token : tokens_) {
        if ((token.token_id == id_or_name || token.name == id_or_name) && token.revoked_s == 0) {
            found.push_back(token.token_id);
            last = &token;
        }
    }
    check_one_token(id_or_name, found);
    last->revoked_s = clock_();
    keep(actor, "RevokeToken", "tokens/" + last->token_id + ' ' + last->name);
    return *last;
}

void MemoryStore::revoke_tokens_of(const std::string& name, const std::string& place) {
    const std::lock_guard lock(mutex_);
    for (Token& token : tokens_) {
        if (token.name == name && token.place == place && token.revoked_s == 0) {
            token.revoked_s = clock_();
        }
    }
}

LiveTokens MemoryStore::live_tokens(std::span<const std::string> used) {
    const std::lock_guard lock(mutex_);
    LiveTokens live;
    for (Token& token : tokens_) {
        if (std::ranges::count(used, token.token_id) > 0) {
            token.used_s = clock_();
        }
        if (is_live(token, clock_())) {
            live.entries.push_back(
                {token.token_id, token.sha256, token.name, token.role,
                 token.expires_s == 0 ? std::nullopt : std::optional(token.expires_s - clock_())});
        }
    }
    return live;
}

void MemoryStore::record(const AuditEvent& event) {
    const std::lock_guard lock(mutex_);
    keep({event.principal, event.role}, event.method.c_str(), event.resource, event.outcome);
}

Page<AuditEvent> MemoryStore::list_audit(int limit, const std::string& token,
                                         const AuditFilter& filter) {
    const std::lock_guard lock(mutex_);
    const std::int64_t before =
        parse_token(kAuditListing, token, std::numeric_limits<std::int64_t>::max());
    const auto size = static_cast<std::size_t>(clamp_limit(limit));
    Page<AuditEvent> page;
    for (const AuditEvent& event : std::views::reverse(audit_)) {
        const bool wanted = (filter.principal.empty() || event.principal == filter.principal) &&
                            (filter.method.empty() || event.method == filter.method) &&
                            event.resource.starts_with(filter.resource) &&
                            (!filter.refused || event.outcome.starts_with("refused")) &&
                            (filter.from_s == 0 || event.at_s >= filter.from_s) &&
                            (filter.until_s == 0 || event.at_s < filter.until_s);
        if (event.event_id >= before || !wanted) {
            continue;
        }
        if (page.rows.size() == size) {
            page.next = make_token(kAuditListing, page.rows.back().event_id);
            break;
        }
        page.rows.push_back(event);
    }
    return page;
}

std::string MemoryStore::job_owner(const std::string& job_id) {
    const std::lock_guard lock(mutex_);
    return row_of(job_id).job.owner;
}

std::optional<WorkerBinding> MemoryStore::find_binding(const std::string& worker_id,
                                                       const std::string& token_id) {
    const std::lock_guard lock(mutex_);
    const auto found = workers_.find(worker_id);
    if (found == workers_.end()) {
        return std::nullopt;
    }
    RegisteredWorker& registered = found->second.registered;
    if (registered.token_id.empty()) {
        registered.token_id = token_id;
    }
    return WorkerBinding{registered.token_id, registered.gpu_uuids};
}

bool MemoryStore::has_live_worker(const std::string& token_id, const std::string& worker_id) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(workers_, [&](const auto& entry) {
        return entry.second.registered.token_id == token_id && !entry.second.lost &&
               (worker_id.empty() || entry.first == worker_id);
    });
}

void MemoryStore::check_gpus_free(const RegisteredWorker& worker) const {
    const auto token_of = [&](const std::string& id) {
        const auto found = std::ranges::find(tokens_, id, &Token::token_id);
        return found == tokens_.end() ? Token() : *found;
    };
    const std::string place = token_of(worker.token_id).place;
    for (const auto& [id, other] : workers_) {
        const Token token = token_of(other.registered.token_id);
        const bool ended =
            token.revoked_s > 0 || (token.expires_s > 0 && token.expires_s <= clock_());
        if (other.lost || ended || other.registered.token_id.empty() ||
            other.registered.token_id == worker.token_id ||
            (!place.empty() && place == token.place)) {
            continue;
        }
        for (const std::string& gpu : worker.gpu_uuids) {
            if (std::ranges::count(other.registered.gpu_uuids, gpu) > 0) {
                throw_gpu_of_another(gpu, id);
            }
        }
    }
}

std::vector<std::string> MemoryStore::held_keys(const std::string& worker_id,
                                                std::span<const Held> tasks) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> keys;
    for (const Held& held : tasks) {
        if (const auto found = find_running(worker_id, held); found != tasks_.end()) {
            keys.push_back(found->first);
        }
    }
    return keys;
}

void MemoryStore::note_result_uploads(const std::string& token_id,
                                      std::span<const std::string> sha256) {
    const std::lock_guard lock(mutex_);
    for (const std::string& file : sha256) {
        result_uploads_[{token_id, file}] = clock_();
        loose_files_[file] = clock_();
    }
}

bool MemoryStore::has_uploaded(const std::string& token_id, const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    return result_uploads_.contains({token_id, sha256});
}

void MemoryStore::register_worker(const RegisteredWorker& worker) {
    const std::lock_guard lock(mutex_);
    const auto token = std::ranges::find(tokens_, worker.token_id, &Token::token_id);
    if (token != tokens_.end() && token->single) {
        for (const auto& [id, other] : workers_) {
            if (id != worker.worker_id && !other.lost &&
                other.registered.token_id == worker.token_id) {
                throw_token_of_another(id);
            }
        }
    }
    const auto n_live = std::ranges::count_if(workers_, [&](const auto& other) {
        return !other.second.lost && other.first != worker.worker_id &&
               other.second.registered.token_id == worker.token_id;
    });
    if (!worker.token_id.empty() && n_live >= options_.live_workers_of_token) {
        throw_too_many_workers(options_);
    }
    check_gpus_free(worker);
    const auto [found, added] = workers_.try_emplace(worker.worker_id, Worker{worker});
    if (found->second.lost && !found->second.gone) {
        throw_worker_lost(worker.worker_id);
    }
    const std::string& bound = found->second.registered.token_id;
    if (!bound.empty() && bound != worker.token_id) {
        throw_worker_of_another(worker.worker_id);
    }
    found->second.draining = found->second.draining && !found->second.gone;
    found->second.lost = found->second.gone = false;
    found->second.registered = worker;
    found->second.heartbeat_at = clock_();
    if (added) {
        found->second.registered_at = clock_();
    }
    for (Drain& drain : drains_) {
        if (drain.kind == DrainKind::Gpu && std::ranges::count(worker.gpu_uuids, drain.value) > 0) {
            drain.host = worker.host;
        }
    }
}

}  // namespace kaname::store::memory
