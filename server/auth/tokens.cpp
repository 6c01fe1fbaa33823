// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/tokens.hpp"

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::auth {
namespace {

constexpr std::array kRoles = {Role::Viewer, Role::User, Role::Operator, Role::Admin, Role::Worker};

}  // namespace

std::string_view to_string(Role role) {
    switch (role) {
        case Role::Viewer:
            return "viewer";
        case Role::User:
            return "user";
        case Role::Operator:
            return "operator";
        case Role::Admin:
            return "admin";
        case Role::Worker:
            return "worker";
    }
    return "viewer";
}

std::optional<Role> role_named(std::string_view name) {
    for (const Role role : kRoles) {
        if (to_string(role) == name) {
            return role;
        }
    }
    return std::nullopt;
}

std::string random_token() {
    std::random_device device;
    std::string token;
    for (int word = 0; word < 8; ++word) {
        char text[9];
        std::snprintf(text, sizeof text, "%08x", device());
        token += text;
    }
    return token;
}

bool allows(Role role, Role needed) {
    // The roles of people contain each other; a worker stands beside them.
    if (role == Role::Worker || needed == Role::Worker) {
        return role == needed;
    }
    return role >= needed;
}

std::vector<ListedToken> read_token_file(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw Error(ErrorCode::NotFound, "token file " + file.string() + ": cannot be read");
    }
    std::vector<ListedToken> tokens;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream fields(line);
        std::string role, name, hash, more;
        if (!(fields >> role)) {
            continue;
        }
        fields >> name >> hash;
        const auto known = role_named(role);
        if (!known || hash.size() != 64 || fields >> more) {
            throw Error(ErrorCode::InvalidArgument,
                        file.string() + ":" + std::to_string(number) +
                            ": must be \"<role> <name> <sha256>\", got \"" + line + '"');
        }
        tokens.push_back({name, *known, hash});
    }
    return tokens;
}

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
