// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/quotas.hpp"

#include <algorithm>
#include <vector>

#include "proto/reason/reasoned_error.hpp"

namespace kaname::service {
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
    for (const store::ItemSpec& item : submission.items) {
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
