// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/store/postgres/connection.hpp"
#include "server/store/store.hpp"

namespace kaname::store {

/// A place in the line of a pool and owner: priority, then time, then ordinal, then task.
struct QueuePosition {
    /// Before the first: every task has a higher priority.
    static constexpr int kBeforeAll = -1000000;

    int priority = kBeforeAll;
    std::string run_at = "-infinity";
    std::int64_t ordinal = 0, task_id = 0;
};

/// Places as columns, for statements.
struct QueuePositions {
    std::vector<std::string> pools, owners, run_at;
    std::vector<std::int64_t> priorities, ordinals, task_ids;

    void add(const std::string& pool, const std::string& owner, const QueuePosition& place);
};

/// Where lines began a moment ago. What was claimed before that place stays in the index until no
/// transaction can see it any more; beside one that stays open that is everything, so claims begin
/// to look here. A place is a hint: what becomes ready before it is seen once the hint is forgotten
/// or for long enough after the last look from the beginning: two seconds, and where such a look
/// took long, as beside a transaction that stays open, so many times as long that looks are a small
/// part of the time. Safe from any thread.
class QueueCursors {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kKept{2000}, kKeptAtMost{30000};
    static constexpr int kTimesTheLook = 50;

    /// For each pool, in this order; the beginning where nothing is known.
    [[nodiscard]] QueuePositions of(std::span<const std::string> pools, const std::string& owner,
                                    Clock::time_point now = Clock::now());
    /// All that are known of these pools.
    [[nodiscard]] QueuePositions known(std::span<const std::string> pools,
                                       Clock::time_point now = Clock::now());
    /// The first of a line, found from the place that is known.
    void note(const std::string& pool, const std::string& owner, QueuePosition place);
    /// The first of a line, found from its beginning, which took so long.
    void note_whole(const std::string& pool, const std::string& owner, QueuePosition place,
                    Clock::duration took, Clock::time_point now = Clock::now());
    void forget(std::span<const std::string> pools, const std::string& owner);
    /// Something became ready that may come earlier.
    void forget_all();

private:
    struct Head {
        QueuePosition place;
        Clock::time_point until;  ///< it is not used after that
    };
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Head> cursors_;  ///< by pool and owner
};

/// Calls that come while another is under way are done together by the first of them, in one
/// transaction: one commit for all. A call that comes alone waits for nobody. Safe from any thread.
template <typename Call>
class GroupCommit {
public:
    using Work = std::function<void(std::vector<Call*>& calls)>;

    /// Returns when `call` was among the calls of a `work` that ended, its own or another thread's;
    /// throws what that threw.
    void run(Call& call, const Work& work) {
        Waiting mine{&call};
        std::unique_lock lock(mutex_);
        waiting_.push_back(&mine);
        while (!mine.ended) {
            changed_.wait(lock,
                          [&] { return mine.ended || (!mine.taken && n_leaders_ < kLeaders); });
            if (!mine.ended) {
                lead(lock, work);
            }
        }
        if (mine.error) {
            std::rethrow_exception(mine.error);
        }
    }

private:
    static constexpr std::size_t kMost = 64;
    /// Groups under way at a time: those of one job would wait for each other, and a group that
    /// begins later is larger.
    static constexpr int kLeaders = 1;

    struct Waiting {
        Call* call;
        bool taken = false, ended = false;
        std::exception_ptr error = nullptr;
    };

    void lead(std::unique_lock<std::mutex>& lock, const Work& work) {
        ++n_leaders_;
        const auto end =
            waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, waiting_.size()));
        const std::vector<Waiting*> group(waiting_.begin(), end);
        waiting_.erase(waiting_.begin(), end);
        std::vector<Call*> calls;
        for (Waiting* one : group) {
            one->taken = true;
            calls.push_back(one->call);
        }
        lock.unlock();
        std::exception_ptr error;
        try {
            work(calls);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        --n_leaders_;
        for (Waiting* one : group) {
            one->error = error;
            one->ended = true;
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Waiting*> waiting_;
    int n_leaders_ = 0;
};

/// The queue in PostgreSQL 13 or newer: every call is one transaction, every statement has its
/// name in queries/. Only the database's clock decides. Locks are taken on tasks, then on jobs;
/// what deadlocks all the same is run again.
class PostgresStore final : public Store {
public:
    /// Migrates the database. Throws Unavailable when it cannot be reached, Conflict when its
    /// schema is not one that this version knows.
    PostgresStore(const std::string& conninfo, StoreOptions options, int pool_size = 8);

    SubmitResult submit(const Submission& submission) override;
    Job cancel_job(const std::string& job_id, const Actor& actor = {},
                   const Stop& stop = {}) override;
    Job retry_job(const std::string& job_id, const Actor& actor = {},
                  const Stop& stop = {}) override;
    bool finish_bulk(const std::string& job_id, const Stop& stop = {}) override;
    void delete_job(const std::string& job_id, const std::string& etag,
                    const Actor& actor = {}) override;
    Job get_job(const std::string& job_id) override;
    Job look_at_job(const std::string& job_id) override;
    std::vector<std::optional<std::int64_t>> event_seqs(
        std::span<const std::string> job_ids) override;
    Page<Job> list_jobs(const JobFilter& filter, int limit, const std::string& token) override;
    Page<JobItem> list_items(const std::string& job_id, int limit,
                             const std::string& token) override;
    std::vector<JobItem> items_at(const std::string& job_id,
                                  std::span<const std::int64_t> ordinals) override;
    std::optional<JobItem> find_item(const std::string& job_id, const std::string& label) override;
    JobParts parts_of_job(const std::string& job_id,
                          std::span<const std::string> content_keys) override;
    std::vector<JobEvent> list_events(const std::string& job_id, std::int64_t after, int limit,
                                      bool cancelled_items = true) override;
    std::optional<Artifact> find_artifact(const std::string& content_key) override;
    std::vector<std::optional<Artifact>> find_artifacts(
        std::span<const std::string> content_keys) override;
    void forget_artifact(const std::string& content_key) override;
    void use_artifact_store(const ArtifactStoreId& mine) override;
    void register_worker(const RegisteredWorker& worker) override;
    std::vector<ClaimedTask> claim(const ClaimRequest& request) override;
    HeartbeatReply heartbeat(const std::string& worker_id, std::span<const Held> held) override;
    std::vector<LeaseResult> complete(const std::string& worker_id,
                                      std::span<const Completion> completions) override;
    LeaseResult fail(const std::string& worker_id, const Failure& failure) override;
    std::vector<LeaseResult> return_tasks(const std::string& worker_id, std::span<const Held> tasks,
                                          double time_limit_s = 0) override;
    LeaseResult begin_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                 const std::string& sha256) override;
    LeaseResult set_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                               const Checkpoint& checkpoint) override;
    std::vector<std::optional<Checkpoint>> find_checkpoints(
        std::span<const std::int64_t> task_ids) override;
    std::vector<std::string> forget_checkpoints(const RemoveFile& remove) override;
    ReapResult reap() override;
    std::int64_t after_clock_step() override;
    std::string record_gpu_faults(const std::string& worker_id, std::span<const GpuFault> faults,
                                  const Actor& actor = {}) override;
    void uncordon_gpu(const std::string& gpu_uuid, const Actor& actor = {}) override;
    void remove_worker(const std::string& worker_id) override;
    void drain_worker(const std::string& worker_id, bool draining, const Actor& actor = {},
                      const std::string& reason = {}) override;
    std::vector<WorkerInfo> list_workers() override;
    std::vector<std::string> ready_owners(std::span<const std::string> pools) override;
    TaskCounts count_tasks() override;
    double now_s() override;

    void set_quota(const OwnerQuota& quota, const Actor& actor = {}) override;
    std::vector<OwnerQuota> list_quotas() override;
    OwnerUse use_of(const std::string& owner) override;
    bool knows_request(const std::string& principal, const std::string& request_id) override;
    void note_upload(const std::string& owner, const OwnerUpload& upload) override;
    std::vector<OwnerUpload> list_uploads(const std::string& owner) override;
    void forget_uploads(const std::string& owner, std::span<const std::string> sha256) override;
    void set_drain(const Drain& drain, bool on, const Actor& actor = {}) override;
    std::vector<Drain> list_drains() override;
    void set_cordon(const Cordon& cordon, bool on, const Actor& actor = {}) override;
    std::vector<Cordon> list_cordons() override;

    std::vector<AttemptFailure> list_failures(int limit) override;
    double oldest_ready_age_s() override;
    std::int64_t count_active_jobs() override;
    DatabaseState look_at_database() override;
    std::map<std::string, std::vector<ReportedGpuFault>> list_gpu_faults(
        std::span<const std::string> gpu_uuids) override;
    std::vector<Backup> list_backups() override;

    void add_dispatch(const Dispatch& dispatch) override;
    bool change_dispatch(const Dispatch& dispatch) override;
    std::vector<Dispatch> list_dispatches(const std::string& place, double ended_within_s) override;
    std::int64_t forget_dispatches(double ended_before_s) override;
    std::vector<std::int64_t> count_ready(std::span<const std::string> pools,
                                          std::int64_t most) override;

    Token add_token(const NewToken& wanted, const Actor& actor = {}) override;
    std::vector<Token> list_tokens() override;
    Token revoke_token(const std::string& id_or_name, const Actor& actor = {}) override;
    void revoke_tokens_of(const std::string& name, const std::string& place) override;
    LiveTokens live_tokens(std::span<const std::string> used) override;
    void record(const AuditEvent& event) override;
    Page<AuditEvent> list_audit(int limit, const std::string& token,
                                const AuditFilter& filter = {}) override;
    std::string job_owner(const std::string& job_id) override;
    std::optional<WorkerBinding> find_binding(const std::string& worker_id,
                                              const std::string& token_id) override;
    bool has_live_worker(const std::string& token_id, const std::string& worker_id) override;
    std::vector<std::string> held_keys(const std::string& worker_id,
                                       std::span<const Held> tasks) override;
    void note_result_uploads(const std::string& token_id,
                             std::span<const std::string> sha256) override;
    bool has_uploaded(const std::string& token_id, const std::string& sha256) override;

    std::vector<LooseFile> note_loose_files(std::span<const std::string> files) override;
    std::vector<std::string> forget_files(std::span<const Removable> files,
                                          const TakeFile& remove) override;
    void adopt_checkpoints(std::span<const std::string> files) override;
    bool begin_upkeep(double interval_s) override;
    std::int64_t prune(const History& history, int limit) override;

    Created create_campaign(const NewCampaign& wanted) override;
    Created extend_campaign(const std::string& campaign_id, const NewCampaign& more) override;
    Campaign get_campaign(const std::string& campaign_id) override;
    Campaign look_at_campaign(const std::string& campaign_id) override;
    Page<Campaign> list_campaigns(const CampaignFilter& filter, int limit,
                                  const std::string& token) override;
    Page<CampaignMember> list_members(const std::string& campaign_id,
                                      std::optional<MemberState> state, int limit,
                                      const std::string& token) override;
    void pause_campaign(const std::string& campaign_id, const Actor& actor = {},
                        const Stop& stop = {}) override;
    void resume_campaign(const std::string& campaign_id, const Actor& actor = {},
                         const Stop& stop = {}) override;
    void cancel_campaign(const std::string& campaign_id, const Actor& actor = {},
                         const Stop& stop = {}) override;
    void retry_campaign(const std::string& campaign_id, const Actor& actor = {}) override;
    void set_campaign_limits(const std::string& campaign_id, const CampaignLimits& limits,
                             const Actor& actor = {}, const Stop& stop = {}) override;
    void delete_campaign_with_jobs(const std::string& campaign_id, const std::string& etag,
                                   const Actor& actor = {}, const Stop& stop = {}) override;
    void delete_campaign(const std::string& campaign_id, const std::string& etag,
                         const Actor& actor = {}) override;
    std::vector<std::string> take_campaigns(const std::string& driver_id, double lease_s) override;
    void leave_campaigns(const std::string& driver_id) override;
    void finish_campaign_work(const std::string& campaign_id, const Stop& stop = {}) override;
    std::vector<WaitingMember> waiting_members(const std::string& campaign_id, std::int64_t after,
                                               int limit) override;
    std::int64_t unfinished_tasks(const std::string& campaign_id) override;
    void end_wait(const std::string& campaign_id, const WaitingMember& member,
                  const std::string& error) override;
    std::int64_t lift_tasks(const std::string& campaign_id) override;
    void set_reason(const std::string& campaign_id, const std::string& reason) override;
    bool settle_campaign(const std::string& campaign_id) override;

    Page<Dataset> list_datasets(const DatasetFilter& filter, int limit,
                                const std::string& token) override;
    Dataset get_dataset(const std::string& job_id) override;
    void update_dataset(const std::string& job_id, const DatasetChange& change,
                        const Actor& actor = {}) override;
    void delete_dataset(const std::string& job_id, const std::string& etag, const Actor& actor = {},
                        const char* method = "DeleteDataset") override;
    RetentionPlan plan_retention(const DatasetRetention& retention, int limit) override;
    std::vector<Undescribed> undescribed_datasets(int limit) override;
    void describe_dataset(const std::string& job_id, const DatasetDescription& about) override;

    /// For tests: moves this store's clock forward of the database's.
    void set_clock_offset(double seconds);

private:
    using Keys = std::vector<std::string>;
    struct Materialised {
        std::int64_t created = 0, joined = 0;
    };
    Materialised create_tasks(Connection& db, const std::string& job_id);
    static void count_revived(Connection& db, const std::string& job_id, const Rows& revived);
    static void finish_job(Connection& db, const std::string& job_id);
    static Campaign find_campaign(Connection& db, const std::string& campaign_id);
    static Campaign lock_campaign(Connection& db, const std::string& campaign_id);
    static void count_campaigns(Connection& db, std::vector<Campaign>& campaigns);
    void delete_with_jobs(const std::string& campaign_id, const Stop& stop);
    static std::optional<Created> find_replay(Connection& db, const NewCampaign& wanted,
                                              const std::string& campaign_id);
    static void link_member(Connection& db, const Submission& submission,
                            const std::string& job_id);
    static void hold_back(Connection& db, const Keys& keys);
    bool change_tasks(const std::string& campaign_id, std::int64_t turn, bool hold,
                      const Stop& stop);
    /// A job whose tasks are created in pieces.
    [[nodiscard]] bool is_large(std::int64_t n_items) const {
        return n_items > options_.bulk_piece;
    }
    /// Tasks that may wait for what ends; where there are more, they follow it in pieces.
    [[nodiscard]] std::int64_t waiters_at_once() const { return 2 * options_.bulk_piece; }
    struct Materialisation;
    /// False when `stop` ended it, or another run took the job over.
    bool materialise(const std::string& job_id, const std::string& run_id, const Stop& stop = {});
    void materialise_piece(Connection& db, Materialisation& job, std::size_t first,
                           std::size_t end);
    void end_materialisation(Connection& db, Materialisation& job);
    void finish_failures();
    static Job find_job(Connection& db, const std::string& job_id);
    static Dataset find_dataset(Connection& db, const std::string& job_id);
    static void insert_dataset(Connection& db, const std::string& job_id,
                               const DatasetDescription& about);
    static void count_and_tell(Connection& db, const Rows& ended, ItemState state,
                               const std::string& error, bool reused = false);
    struct ItemEnd {
        ItemState state = ItemState::Done;
        std::string error = {}, sha256 = {};
        std::int64_t bytes = 0, n_missing = 0;
        Keys jobs = {};           ///< jobs whose items stay as they are,
        bool only_these = false;  ///< or the only ones whose items end
    };
    static void end_items(Connection& db, const Keys& keys, const ItemEnd& end);
    static void keep(Connection& db, const Actor& actor, const char* method,
                     const std::string& resource, const std::string& outcome = "ok");
    /// One call of complete, perhaps of several in one transaction.
    struct CompleteCall {
        const std::string& worker_id;
        std::span<const Completion> completions;
        std::vector<LeaseResult> results;
    };
    /// Tells how a completed task counts for the jobs that joined it; only gatherers are judged.
    struct CompletedTask {
        const Completion* completion = nullptr;
        bool partial = false;
        std::int64_t n_missing = 0;
        Keys waiting_jobs = {}, lost_jobs = {}, content_jobs = {};
    };
    static CompletedTask judge_gatherer(Connection& db, const std::string& worker_id,
                                        const Completion& completion);
    static void end_completed(Connection& db, const std::string& key, const CompletedTask& task);
    static void block_tasks(Connection& db, const Keys& keys);
    void give_back(Connection& db, const Rows& tasks, int row, bool draining);
    static std::string end_gatherer(Connection& db, const std::string& worker_id,
                                    const CompletedTask& task);
    static JobState find_job_state(Connection& db, const std::string& job_id);
    JobState cancel_some(Connection& db, const std::string& job_id, const Keys& keys);
    void finish_releases(const Keys& ended);
    void fail_hopeless(Connection& db, const Keys& gatherers);
    void release_needed(Connection& db, const Keys& ended);
    void release_waiting(Connection& db, const Keys& ended);
    void fail_tasks(Connection& db, const Keys& keys, const std::string& error);
    static bool attempt_ended(Connection& db, const std::string& worker_id, Held held,
                              const char* outcome, const std::string& sha256);

    Keys ready_owners(Connection& db, const Keys& pools);
    std::vector<ClaimedTask> claim_of_owner(Connection& db, const ClaimRequest& request,
                                            const std::string& owner, const std::string& token);
    /// How many of the owner's tasks this claim may take.
    int room_for(Connection& db, const ClaimRequest& request, const std::string& owner);
    void complete_group(std::vector<CompleteCall*>& calls);

    StoreOptions options_;
    /// Bulk work never makes heartbeats and claims wait for a connection.
    struct Lanes {
        Pool queue;  ///< heartbeats, claims, reports
        Pool steps;  ///< bulk work in pieces
        Pool bulk;   ///< all else
        Pool looks;  ///< short reads of one job, which wait for none of these
    } lanes_;
    Pool access_pool_;  ///< who calls is known also while the others are busy
    GroupCommit<CompleteCall> completions_;
    QueueCursors cursors_;
};

}  // namespace kaname::store
