// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

[[noreturn]] void throw_full(const Limit& limit, const std::string& whose, int most) {
    throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kLimitExceeded,
                             std::string(limit.name) + ": at most " + std::to_string(most) +
                                 " may be open at a time " + whose +
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

namespace {

/// "ann" has 90 of at most 100 queued tasks and wants 20 more
void check_quota(const std::string& owner, const char* what, std::int64_t used, std::int64_t wanted,
                 std::int64_t limit) {
    if (wanted > 0 && used + wanted > limit) {
        throw rpc::QuotaError("owners/" + owner,
                              std::string(what) + ": \"" + owner + "\" has " +
                                  std::to_string(used) + " and wants " + std::to_string(wanted) +
                                  " more; an operator allows at most " + std::to_string(limit));
    }
}

}  // namespace

void Quotas::changed() {
    const std::lock_guard lock(mutex_);
    known_ = false;
}

void Quotas::refresh() {
    {
        const std::lock_guard lock(mutex_);
        if (known_ && Clock::now() - read_ < kFresh) {
            return;
        }
        known_ = true;  // others go on with what was read last
        read_ = Clock::now();
    }
    try {
        const auto quotas = store_.list_quotas();
        const std::lock_guard lock(mutex_);
        quotas_.clear();
        for (const store::OwnerQuota& quota : quotas) {
            quotas_[quota.owner] = quota;
            share_.set_weight(quota.owner, quota.weight);
        }
    } catch (...) {
        changed();
        throw;
    }
}

store::OwnerQuota Quotas::quota_of(const std::string& owner) {
    refresh();
    const std::lock_guard lock(mutex_);
    const auto found = quotas_.find(owner);
    if (found != quotas_.end()) {
        return found->second;
    }
    store::OwnerQuota none;
    none.owner = owner;
    return none;
}

std::map<std::string, std::int64_t> Quotas::running_limits() {
    refresh();
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::int64_t> limits;
    for (const auto& [owner, quota] : quotas_) {
        if (quota.running) {
            limits[owner] = *quota.running;
        }
    }
    return limits;
}

std::int64_t Quotas::bytes_of(const std::string& owner, std::int64_t result_bytes,
                              const std::string& beside) {
    std::map<std::pair<std::string, std::string>, std::int64_t> under_way;
    {
        const std::lock_guard lock(mutex_);
        under_way = under_way_;
    }
    std::int64_t bytes = result_bytes;
    std::vector<std::string> gone;
    for (const store::OwnerUpload& upload : store_.list_uploads(owner)) {
        const auto going = under_way.find({owner, upload.sha256});
        if (going != under_way.end()) {
            bytes += going->second;
        } else if (const std::int64_t here = bytes_here(upload); here == 0) {
            gone.push_back(upload.sha256);
        } else if (upload.sha256 != beside) {
            bytes += here;
        }
    }
    if (!gone.empty()) {
        store_.forget_uploads(owner, gone);
    }
    return bytes;
}

std::int64_t Quotas::bytes_here(const store::OwnerUpload& upload) {
    if (const auto size = artifacts_.size(upload.sha256)) {
        return static_cast<std::int64_t>(*size);
    }
    try {
        return static_cast<std::int64_t>(
            artifacts_.look_up(upload.sha256, static_cast<std::uint64_t>(upload.bytes)));
    } catch (const Error&) {  // no room to go on with it
        return upload.bytes;
    }
}

void Quotas::check_tasks(const store::OwnerQuota& quota, std::int64_t wanted) {
    const store::OwnerUse use = store_.use_of(quota.owner);
    if (quota.queued) {
        check_quota(quota.owner, "queued tasks", use.queued, wanted, *quota.queued);
    }
    if (quota.bytes && wanted > 0) {  // what the results will take nobody knows
        check_quota(quota.owner, "bytes of results and uploads",
                    bytes_of(quota.owner, use.result_bytes), 1, *quota.bytes);
    }
}

Quotas::Turn Quotas::check_submission(const store::Submission& submission) {
    const store::OwnerQuota quota = quota_of(submission.owner);
    if (!quota.queued && !quota.bytes) {
        return {};
    }
    Turn turn(turn_);
    std::vector<std::string> keys;
    for (const store::WantedItem& item : submission.items) {
        keys.push_back(item.content_key);
    }
    const std::int64_t wanted = std::ranges::count_if(
        store_.find_artifacts(keys), [](const auto& found) { return !found.has_value(); });
    try {
        check_tasks(quota, wanted);
    } catch (const rpc::QuotaError&) {
        if (!store_.knows_request(submission.principal, submission.request_id)) {
            throw;
        }
    }
    return turn;
}

Quotas::Turn Quotas::check_retry(const std::string& owner, std::int64_t n_items) {
    const store::OwnerQuota quota = quota_of(owner);
    if (!quota.queued && !quota.bytes) {
        return {};
    }
    Turn turn(turn_);
    check_tasks(quota, n_items);
    return turn;
}

Quotas::Upload::Upload(Quotas& quotas, std::string owner, std::string sha256, std::int64_t bytes)
    : quotas_(quotas), of_(std::move(owner), std::move(sha256)), bytes_(bytes) {
    const std::lock_guard lock(quotas_.mutex_);
    quotas_.under_way_[of_] += bytes_;
}

Quotas::Upload::~Upload() {
    const std::lock_guard lock(quotas_.mutex_);
    const auto mine = quotas_.under_way_.find(of_);
    if (mine != quotas_.under_way_.end() && (mine->second -= bytes_) == 0) {
        quotas_.under_way_.erase(mine);
    }
}

std::unique_ptr<Quotas::Upload> Quotas::begin_upload(const std::string& owner,
                                                     const std::string& sha256,
                                                     std::int64_t bytes) {
    const store::OwnerQuota quota = quota_of(owner);
    Turn turn;
    if (quota.bytes) {
        turn = Turn(turn_);
        check_quota(owner, "bytes of results and uploads",
                    bytes_of(owner, store_.use_of(owner).result_bytes, sha256), bytes,
                    *quota.bytes);
    }
    auto upload = std::make_unique<Upload>(*this, owner, sha256, bytes);
    store_.note_upload(owner, {sha256, bytes});
    return upload;
}

}  // namespace kaname::service
