// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/store/rules.hpp"
#include "server/store/store.hpp"

namespace kaname::store::memory {

/// GatherVerdict is the meaning of a completed gatherer's result for a job that joined it.
enum class GatherVerdict {
    Ends,    ///< its own: whole, or without what all failed or was cancelled there
    Waits,   ///< it lacks a source that the job has or will have: to be made again
    Lost,    ///< it lacks a source that was done in the job and whose result is gone
    Unread,  ///< it lacks a source that was there when it was claimed
};

/// Store without a database, for tests: nothing survives the process.
class MemoryStore : public Store {
public:
    using Clock = std::function<double()>;  ///< seconds, never going back

    MemoryStore(StoreOptions options, Clock clock);

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
    double now_s() override { return clock_(); }

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

    /// As if an earlier version had submitted it.
    void forget_description(const std::string& job_id);

private:
    enum class TaskState { Blocked, Ready, Held, Running };
    struct Task {
        std::int64_t task_id = 0, fence = 0;
        std::int64_t ordinal = 0;  ///< place in the job that created it
        bool gathers = false;
        TaskState state = TaskState::Ready;
        std::string verb, content_key, compat_key, owner, pool, label, payload, worker_id;
        std::string failed_by, failed_token;  ///< the worker it failed with last, and its token
        int priority = 0, attempt = 0, crash_count = 0, absent = 0, refunds = 0, cut_off = 0;
        double cut_off_limit_s = 0;
        double run_at = 0;
        std::set<std::string> needs;     ///< content keys of live tasks: to be done
        std::set<std::string> gathered;  ///< likewise: to have ended
        std::set<std::string> missing;   ///< as in ClaimedTask
        Checkpoint checkpoint;           ///< no hash: none
        bool hold = false;               ///< held where another is ready
        std::string campaign;            ///< of the job that it was created for
        std::int64_t member = 0;
    };
    struct JobRow {
        Job job;
        std::vector<JobItem> items;
        std::vector<WantedItem> planned;
        std::vector<JobEvent> events;
        std::set<std::string> files;
        std::string campaign;  ///< empty: of none
        std::int64_t member = 0;
        DatasetDescription about;
        bool described = true, pinned = false;
        std::vector<std::string> tags;
        double made_s = 0;  ///< when its last item was done
    };
    struct MemberRow {
        NewMember sent;
        std::string state = "waiting", job_id, error;  ///< "submitted": as its job
        int round = 0;
    };
    struct CampaignRow {
        Campaign campaign;
        std::vector<MemberRow> members;
        std::set<std::string> files;
        std::int64_t position = 0;
        std::string driver;
        double until = 0;
    };
    struct Worker {
        RegisteredWorker registered;
        double heartbeat_at = 0, registered_at = 0;
        bool lost = false, draining = false, gone = false;
        std::string drain_reason = {};
        int others_did = 0;  ///< tasks in a row that failed here and that others did
        std::vector<std::string> pools =
            {};  ///< of its last claim; none while it may claim nothing
    };
    struct Request {
        std::string body_sha256;
        SubmitResult result;
    };
    struct Claim {
        ClaimRequest request;
        std::vector<ClaimedTask> answer;
        double at = 0;
    };
    enum class Outcome { Done, Failed, ReturnedTask };
    struct Attempt {
        std::string worker_id, sha256;
        Outcome outcome = Outcome::Done;
    };
    using Tasks = std::map<std::string, Task>;  // by content key
    using Keys = std::set<std::string>;

    void keep(const Actor& actor, const char* method, const std::string& resource,
              const std::string& outcome = "ok");
    JobRow& row_of(const std::string& job_id);
    [[nodiscard]] Dataset dataset_of(const JobRow& row) const;
    void forget_job(const std::string& job_id);
    Worker* live_worker(const std::string& worker_id);
    [[nodiscard]] std::string drain_of(const RegisteredWorker& worker) const;
    [[nodiscard]] std::string host_of_gpu(const std::string& gpu_uuid) const;
    [[nodiscard]] std::vector<Cordon>::iterator find_cordon(CordonKind kind,
                                                            const std::string& value);
    [[nodiscard]] int room_for(const ClaimRequest& request, const std::string& owner) const;
    void age_oldest(const ClaimRequest& request);
    [[nodiscard]] std::string cordon_of(const RegisteredWorker& worker) const;
    [[nodiscard]] std::string place_of(const std::string& token_id) const;
    /// True when two tokens speak for the same machine.
    [[nodiscard]] bool one_tenure(const std::string& a, const std::string& b) const;
    /// True when a task that failed with this worker's token is left to others.
    [[nodiscard]] bool left_to_others(const Task& task, const std::string& worker_id) const;
    void judge_failed_by(const std::string& failed_by, const std::string& worker_id);
    Tasks::iterator find_running(const std::string& worker_id, Held held);
    [[nodiscard]] bool attempt_ended(const std::string& worker_id, Held held, Outcome outcome,
                                     const std::string& sha256 = "") const;
    /// The order of the line: what a claim takes first.
    [[nodiscard]] static bool before(const Task& a, const Task& b);
    [[nodiscard]] const Task* seed_of(const ClaimRequest& request) const;
    [[nodiscard]] bool claimable(const Task& task, const ClaimRequest& request) const;
    [[nodiscard]] bool runs_alone(const Task& task) const;
    void give_back(const std::string& content_key, bool draining);
    LeaseResult complete_one(const std::string& worker_id, const Completion& completion);
    struct Materialised {
        std::int64_t created = 0, joined = 0;
    };
    Materialised create_tasks(JobRow& row);
    void add_needs(const JobRow& row, const std::set<std::string>& keys);
    static void make_ready(Task& task);
    static void set_hold(Task& task, bool hold);
    CampaignRow& campaign_of(const std::string& campaign_id);
    [[nodiscard]] std::string state_of(const MemberRow& member) const;
    [[nodiscard]] Campaign counted(const CampaignRow& row) const;
    [[nodiscard]] bool would_start(const JobRow& job, const Task& task) const;
    [[nodiscard]] bool nobody_starts(const std::string& key, const Task& task) const;
    void hold_back(const Keys* keys);
    void lift_needed();
    void change_tasks(const CampaignRow& row, bool hold);
    void cancel(JobRow& row);
    void add_members(CampaignRow& row, const NewCampaign& more);
    void release_waiting(const std::set<std::string>& ended);
    [[nodiscard]] std::set<std::string> gathered_by(const std::string& content_key) const;
    [[nodiscard]] std::set<std::string> missing_of(const std::string& content_key) const;
    [[nodiscard]] GatherVerdict judge_gatherer(const JobRow& row, const Task& task) const;
    void end_partial_gatherer(Task& task, const Completion& completion);
    void add_event(JobRow& row, EventType type, std::int64_t ordinal, std::string detail);
    void end_item(JobRow& row, JobItem& item, ItemState state, const std::string& error);
    void end_job_if_idle(JobRow& row);
    void end_items(const Keys& keys, ItemState state, const std::string& error,
                   const std::string& sha256 = "", std::int64_t bytes = 0);
    void fail_with_dependents(const Keys& keys, const std::string& error);
    void drop_unwanted(const JobRow& row);
    [[nodiscard]] bool in_use(const std::string& file) const;

    const StoreOptions options_;
    const Clock clock_;
    std::mutex mutex_;
    std::int64_t last_task_id_ = 0;
    std::int64_t last_position_ = 0;
    std::map<std::int64_t, std::string> job_order_;  ///< ids by position, which a deletion keeps
    std::map<std::string, JobRow> jobs_;
    std::map<std::pair<std::string, std::string>, Request> requests_;
    std::map<std::string, CampaignRow> campaigns_;
    Tasks tasks_;
    std::map<Held, Attempt> attempts_;
    std::set<std::int64_t> cancelled_;
    std::map<std::string, Artifact> artifacts_;
    std::optional<ArtifactStoreId> artifact_store_;
    std::map<std::string, Worker> workers_;
    std::map<std::string, Claim> claims_;
    struct CheckpointFile {
        bool whole = false;
        double begun_at = 0;
    };
    std::map<std::string, CheckpointFile> checkpoint_files_;  ///< by hash
    struct ToldFault {
        GpuFault fault;
        std::string token_id;
        double at = 0;
    };
    std::vector<ToldFault> gpu_faults_;  ///< oldest first
    std::vector<Cordon> cordons_;
    std::map<std::string, std::string> cordon_tokens_;  ///< of GPUs: whose faults it were
    std::vector<AttemptFailure> failures_;              ///< oldest first
    void check_gpus_free(const RegisteredWorker& worker) const;
    std::map<std::string, std::string> token_of_request_;  ///< ids by request
    std::map<std::string, OwnerQuota> quotas_;
    std::map<std::string, std::map<std::string, std::int64_t>> uploads_;  ///< bytes by owner, hash
    std::vector<Drain> drains_;
    std::vector<Dispatch> dispatches_;
    std::vector<Token> tokens_;                                             ///< oldest first
    std::vector<AuditEvent> audit_;                                         ///< oldest first
    std::map<std::pair<std::string, std::string>, double> result_uploads_;  ///< token, hash; when
    std::map<std::string, double> loose_files_;                             ///< by hash, since when
    std::map<std::string, std::set<std::string>> task_files_;               ///< by content key
    std::optional<double> upkeep_;                                          ///< when it last began
};

}  // namespace kaname::store::memory
