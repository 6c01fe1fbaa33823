// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/stored_tokens.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::auth {
namespace {

constexpr double kTellUse_s = 30;  // a row each: not at every look

double steady_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

StoredTokens::StoredTokens(store::AccessStore& store, StoredTokensOptions options)
    : store_(store), options_(std::move(options)) {
    if (!options_.clock) {
        options_.clock = steady_s;
    }
}

void StoredTokens::read_again() const {
    // The time before the query: what is revoked while it runs may be missed by it.
    const double now_s = options_.clock();
    std::vector<std::string> used;
    {
        const std::lock_guard lock(mutex_);
        if (now_s - told_at_s_ >= kTellUse_s) {
            used.assign(used_.begin(), used_.end());
        }
    }
    const store::LiveTokens live = store_.live_tokens(used);
    Entries entries;
    for (const store::LiveTokens::Entry& token : live.entries) {
        if (const auto role = role_named(token.role)) {
            entries.emplace(token.sha256, Entry{{token.name, *role, token.token_id},
                                                token.left_s ? std::optional(now_s + *token.left_s)
                                                             : std::nullopt});
        }
    }
    const std::lock_guard lock(mutex_);
    entries_ = std::move(entries);
    read_at_s_ = now_s;
    if (!used.empty()) {
        used_.clear();
        told_at_s_ = now_s;
    }
}

bool StoredTokens::may_look_early(double now_s) const {
    const std::lock_guard lock(mutex_);
    if (now_s - second_begun_s_ >= 1) {
        second_begun_s_ = now_s;
        n_early_ = 0;
    }
    return n_early_++ < options_.early_looks;
}

std::optional<Principal> StoredTokens::find(std::string_view token) const {
    const std::string hash = sha256_hex(token);
    const auto age_s = [this] {
        const std::lock_guard lock(mutex_);
        return read_at_s_ ? std::optional(options_.clock() - *read_at_s_) : std::nullopt;
    };
    const auto look = [&]() -> std::optional<Principal> {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(hash);
        if (found == entries_.end() ||
            (found->second.until_s && *found->second.until_s <= options_.clock())) {
            return std::nullopt;
        }
        used_.insert(found->second.principal.token_id);
        return found->second.principal;
    };
    // One thread reads; the others go on with what is known, unless that is too old.
    const auto refresh = [&](double limit_s) {
        const auto age = age_s();
        std::unique_lock reader(reading_, std::defer_lock);
        if (!age || *age >= options_.stale_s || limit_s == 0) {
            reader.lock();
        } else if (*age < limit_s || !reader.try_lock()) {
            return;
        }
        const auto now = age_s();
        if (now && *now < limit_s && limit_s > 0) {
            return;  // another thread has just read
        }
        try {
            read_again();
        } catch (const Error&) {
            const auto known = age_s();
            if (!known || *known >= options_.stale_s) {
                throw;
            }
        }
    };
    refresh(options_.fresh_s);
    auto found = look();
    if (!found && may_look_early(options_.clock())) {
        refresh(0);
        found = look();
    }
    return found;
}

void StoredTokens::changed() const {
    const std::lock_guard lock(mutex_);
    read_at_s_.reset();
}

}  // namespace kaname::auth
