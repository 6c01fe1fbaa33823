// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
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

/// How many calls of a kind may be open at a time.
struct Limit {
    const char* name = "";  ///< for messages: "waiting streams"
    int per_principal = 0, per_connection = 0, in_all = 0;
};

/// Streams that wait cost memory alone, up to 3 MB each where results go with them; files are read
/// by few threads; uploads and calls hold a thread each (kMaxThreads of server/grpc). Workers have
/// limits of their own: 64 of them may share a token, and users take nothing from them.
inline constexpr Limit kWaitingStreams{"waiting streams", 1024, 200, 4096};
inline constexpr Limit kResultStreams{"streams of results", 64, 64, 512};
inline constexpr Limit kDownloads{"downloads", 64, 64, 256};
inline constexpr Limit kAnswers{"answers", 8, 8, 64};
inline constexpr Limit kUploads{"uploads", 32, 32, 96};
inline constexpr Limit kCalls{"calls", 32, 32, 128};
inline constexpr Limit kClaims{"claims that wait", 256, 200, 4096};
inline constexpr Limit kInputs{"inputs of workers", 256, 200, 1024};
inline constexpr Limit kResultUploads{"uploads of results", 64, 64, 128};
inline constexpr Limit kWorkerCalls{"calls of workers", 128, 128, 4096};

/// Counts the open calls of everybody, so that nobody takes the places of the others: each
/// principal has so many places of a kind. When all places of a kind are taken, somebody with fewer
/// gets the one of the call that has stood still longest of whoever has most. Safe from any thread.
class Limits {
public:
    using Clock = std::chrono::steady_clock;
    /// Ends a call that stood still, which tells its caller why (UNAVAILABLE). Short; any thread.
    using End = std::function<void(const std::string& why)>;
    /// A call gives its place to another only when it has stood still for so long.
    static constexpr std::chrono::seconds kStill{2};

private:
    static constexpr Clock::rep kNotWaiting = 0;
    struct Open {
        std::string principal, connection;
        Clock::time_point began;
        std::atomic<Clock::rep> waits_since = kNotWaiting;  ///< for its caller's next message
        End end;
        bool ended = false;  ///< by `end`: its place is another's already
    };
    using Opens = std::list<Open>;

public:
    /// One open call; ends with its destruction.
    class Place {
    public:
        Place() = default;
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) noexcept;
        ~Place();

        /// Runs `read`, which waits for what the caller sends next: whoever waits longer than
        /// end_stalled() allows is ended.
        template <class Read>
        auto waiting(Read&& read) {
            wait(Clock::now().time_since_epoch().count());
            auto result = read();
            wait(kNotWaiting);
            return result;
        }

    private:
        friend class Limits;
        Place(Limits& limits, const Limit& limit, Opens::iterator open)
            : limits_(&limits), limit_(&limit), open_(open) {}
        void wait(Clock::rep since) {
            if (limits_ != nullptr) {
                open_->waits_since = since;
            }
        }
        Limits* limits_ = nullptr;
        const Limit* limit_ = nullptr;
        Opens::iterator open_;
    };

    /// Throws Exhausted, naming the limit, when one is reached. An empty `connection` is not
    /// counted: those of a unix socket cannot be told apart. `limit` outlives the place; without
    /// `end` the call keeps it until it ends by itself.
    [[nodiscard]] Place take(const Limit& limit, const std::string& principal,
                             const std::string& connection, End end = {},
                             Clock::time_point now = Clock::now());
    /// Ends the calls whose callers have sent nothing for longer than `longest`, though they are
    /// waited for.
    void end_stalled(std::chrono::milliseconds longest, Clock::time_point now = Clock::now());

private:
    struct Counts {
        int all = 0;  ///< but for those that were ended
        std::map<std::string, int> by_principal, by_connection;
        Opens open;
    };
    /// The call of the principal with most places that gives its own to this one, to be ended;
    /// empty: there is none.
    static End make_room(const Limit& limit, Counts& counts, const std::string& principal,
                         Clock::time_point now);
    /// Takes the place of a call that is then to be ended, when no lock is held.
    static End give_up(Counts& counts, Open& open);
    void give_back(const Limit& limit, Opens::iterator open);

    std::mutex mutex_;
    std::map<const Limit*, Counts> counts_;
};

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
