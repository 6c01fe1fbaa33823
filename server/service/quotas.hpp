// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "server/artifacts/artifact_store.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/store/store.hpp"

namespace kaname::service {

/// What operators allow owners: looked up in the store every kFresh, and applied where owners ask
/// for more. Who has no quota costs nothing. Safe from any thread.
class Quotas {
public:
    static constexpr std::chrono::seconds kFresh{2};

    Quotas(store::Store& store, artifacts::ArtifactStore& artifacts, scheduler::FairShare& share)
        : store_(store), artifacts_(artifacts), share_(share) {}

    /// Limits of running tasks by owner, for claims; weights are passed on to the shares.
    [[nodiscard]] std::map<std::string, std::int64_t> running_limits();

    /// Held while a job of its owner is stored, so that two do not take the same room.
    using Turn = std::unique_lock<std::mutex>;
    /// A submission of the owner: throws QuotaError when it has no room for what is not there yet,
    /// unless the request was answered before.
    [[nodiscard]] Turn check_submission(const store::Submission& submission);
    /// A retry of the owner's job, of so many items.
    [[nodiscard]] Turn check_retry(const std::string& owner, std::int64_t n_items);
    /// An upload of so many bytes; throws QuotaError.
    void check_upload(const std::string& owner, std::int64_t bytes);
    void uploaded(const std::string& owner, const std::string& sha256, std::int64_t bytes);
    /// Results of its jobs, and uploads that are still there.
    [[nodiscard]] std::int64_t bytes_of(const std::string& owner, std::int64_t result_bytes);
    /// A quota was set here: it holds from the next call on.
    void changed();

private:
    using Clock = std::chrono::steady_clock;

    /// Nothing set: no limit.
    store::OwnerQuota quota_of(const std::string& owner);
    void refresh();
    void check_tasks(const store::OwnerQuota& quota, std::int64_t wanted);

    store::Store& store_;
    artifacts::ArtifactStore& artifacts_;
    scheduler::FairShare& share_;
    std::mutex mutex_;
    std::map<std::string, store::OwnerQuota> quotas_;
    Clock::time_point read_{};
    bool known_ = false;
    std::mutex turn_;  ///< of owners with a quota
};

}  // namespace kaname::service
