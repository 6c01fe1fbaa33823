// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "server/artifacts/artifact_store.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/store/store.hpp"

namespace kaname::service {

/// Applies the quotas of owners where these ask for more; they are read from the store every
/// kFresh. An owner without a quota costs nothing. Safe from any thread.
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
    /// An upload that goes on, until its destruction: all of its bytes count from its beginning,
    /// and for as long as it is there whatever it leaves, whole or not.
    class Upload {
    public:
        Upload(Quotas& quotas, std::string owner, std::string sha256, std::int64_t bytes);
        Upload(const Upload&) = delete;
        Upload& operator=(const Upload&) = delete;
        ~Upload();

    private:
        Quotas& quotas_;
        const std::pair<std::string, std::string> of_;
        const std::int64_t bytes_;
    };
    /// Begins one of so many bytes; throws QuotaError when the owner has no room for it.
    [[nodiscard]] std::unique_ptr<Upload> begin_upload(const std::string& owner,
                                                       const std::string& sha256,
                                                       std::int64_t bytes);
    /// Results of its jobs, and its uploads that are still there or go on, but for what is there of
    /// the file `beside`.
    [[nodiscard]] std::int64_t bytes_of(const std::string& owner, std::int64_t result_bytes,
                                        const std::string& beside = {});
    /// A quota was set here: it holds from the next call on.
    void changed();

private:
    using Clock = std::chrono::steady_clock;

    /// Nothing set: no limit.
    store::OwnerQuota quota_of(const std::string& owner);
    void refresh();
    /// Returns how many bytes of it the disk has.
    std::int64_t bytes_here(const store::OwnerUpload& upload);
    void check_tasks(const store::OwnerQuota& quota, std::int64_t wanted);

    store::Store& store_;
    artifacts::ArtifactStore& artifacts_;
    scheduler::FairShare& share_;
    std::mutex mutex_;
    std::map<std::string, store::OwnerQuota> quotas_;
    Clock::time_point read_{};
    bool known_ = false;
    std::mutex turn_;  ///< of owners with a quota
    std::map<std::pair<std::string, std::string>, std::int64_t> under_way_;  ///< owner and file
};

}  // namespace kaname::service
