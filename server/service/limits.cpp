// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

[[noreturn]] void throw_full(const Limit& limit, const std::string& whose, int most) {
    throw Error(ErrorCode::Exhausted, std::string(limit.name) + ": at most " +
                                          std::to_string(most) + " may be open at a time " + whose +
                                          "; end some, or call again later");
}

void drop_one(std::map<std::string, int>& counts, const std::string& key) {
    const auto found = counts.find(key);
    if (found != counts.end() && --found->second == 0) {
        counts.erase(found);
    }
}

int count_of(const std::map<std::string, int>& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

Limits::Place::Place(Place&& other) noexcept
    : limits_(std::exchange(other.limits_, nullptr)), limit_(other.limit_), open_(other.open_) {}

Limits::Place& Limits::Place::operator=(Place&& other) noexcept {
    std::swap(limits_, other.limits_);
    std::swap(limit_, other.limit_);
    std::swap(open_, other.open_);
    return *this;
}

Limits::Place::~Place() {
    if (limits_ != nullptr) {
        limits_->give_back(*limit_, open_);
    }
}

Limits::Place Limits::take(const Limit& limit, const std::string& principal,
                           const std::string& connection, End end, Clock::time_point now) {
    End end_other;
    std::unique_lock lock(mutex_);
    Counts& counts = counts_[&limit];
    if (count_of(counts.by_principal, principal) >= limit.per_principal) {
        throw_full(limit, "by \"" + principal + '"', limit.per_principal);
    }
    if (!connection.empty() && count_of(counts.by_connection, connection) >= limit.per_connection) {
        throw_full(limit, "on one connection", limit.per_connection);
    }
    if (counts.all >= limit.in_all) {
        end_other = make_room(limit, counts, principal, now);
        if (!end_other) {
            throw_full(limit, "in all", limit.in_all);
        }
    }
    ++counts.all;
    ++counts.by_principal[principal];
    if (!connection.empty()) {
        ++counts.by_connection[connection];
    }
    Open& open = counts.open.emplace_back();
    open.principal = principal;
    open.connection = connection;
    open.began = now;
    open.end = std::move(end);
    Place place(*this, limit, std::prev(counts.open.end()));
    lock.unlock();
    if (end_other) {
        end_other(std::string(limit.name) +
                  ": all places are taken, and others wait; call again later");
    }
    return place;
}

Limits::End Limits::make_room(const Limit& limit, Counts& counts, const std::string& principal,
                              Clock::time_point now) {
    const auto most = std::ranges::max_element(counts.by_principal, {},
                                               [](const auto& entry) { return entry.second; });
    if (most == counts.by_principal.end() ||
        most->second <= count_of(counts.by_principal, principal) + 1) {
        return {};
    }
    // Calls that were ended have their threads for a moment more.
    if (static_cast<int>(counts.open.size()) >= limit.in_all + limit.in_all / 4) {
        return {};
    }
    const auto still_since = [](const Open& open) {
        const Clock::rep waits = open.waits_since;
        return waits == kNotWaiting ? open.began : Clock::time_point(Clock::duration(waits));
    };
    Open* stillest = nullptr;
    for (Open& open : counts.open) {
        const bool may_end = open.principal == most->first && !open.ended && open.end &&
                             now - still_since(open) >= kStill;
        if (may_end && (stillest == nullptr || still_since(open) < still_since(*stillest))) {
            stillest = &open;
        }
    }
    return stillest == nullptr ? End{} : give_up(counts, *stillest);
}

Limits::End Limits::give_up(Counts& counts, Open& open) {
    open.ended = true;
    --counts.all;
    drop_one(counts.by_principal, open.principal);
    return open.end;
}

void Limits::end_stalled(std::chrono::milliseconds longest, Clock::time_point now) {
    std::vector<End> stalled;
    {
        const std::lock_guard lock(mutex_);
        for (auto& [limit, counts] : counts_) {
            for (Open& open : counts.open) {
                const Clock::rep waits = open.waits_since;
                if (waits != kNotWaiting && !open.ended && open.end &&
                    now - Clock::time_point(Clock::duration(waits)) > longest) {
                    stalled.push_back(give_up(counts, open));
                }
            }
        }
    }
    for (const End& end : stalled) {
        end("nothing was sent for " + std::to_string(longest.count() / 1000) +
            " s; go on at the offset that is there");
    }
}

void Limits::give_back(const Limit& limit, Opens::iterator open) {
    const std::lock_guard lock(mutex_);
    Counts& counts = counts_[&limit];
    if (!open->ended) {
        --counts.all;
        drop_one(counts.by_principal, open->principal);
    }
    if (!open->connection.empty()) {
        drop_one(counts.by_connection, open->connection);
    }
    counts.open.erase(open);
}

}  // namespace kaname::service
