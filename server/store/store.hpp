// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/access_store.hpp"
#include "server/store/campaign_store.hpp"
#include "server/store/dataset_store.hpp"
#include "server/store/operations_store.hpp"
#include "server/store/types.hpp"

namespace kaname::store {

/// A worker job of a batch system, from the intent to submit it on.
///
///   intended -> submitted -> running -> ended
///      `-----------> unknown <--'         ^ from any; nothing follows
enum class DispatchState {
    Intended,   ///< noted; whether the batch system took it is not known yet
    Submitted,  ///< it waits there
    Running,
    Unknown,  ///< the batch system says nothing of it, which does not mean that it ended
    Ended,
};

[[nodiscard]] std::string_view to_string(DispatchState state);
/// The reverse; throws Internal on other text, which only a damaged database holds.
[[nodiscard]] DispatchState parse_dispatch_state(std::string_view text);

struct Dispatch {
    std::string dispatch_id;     ///< UUID
    std::string place;           ///< of the server that sent it: host and state folder
    std::string pool;            ///< name of the launcher's pool
    std::string native_id = {};  ///< of the batch system; empty: not known
    DispatchState state = DispatchState::Intended;
    std::string reason = {};  ///< why it waits, or ended, as the batch system says
    std::optional<int> exit_code = {};
    double intended_s = 0, ended_s = 0;  ///< Unix time of the store's clock; 0: not ended
};

/// How a dispatch that has ended counts for its pool: what is taken away, or runs to its time
/// limit, tells nothing of whether workers can start there.
enum class DispatchOutcome { Worked, Failed, TakenAway };
[[nodiscard]] DispatchOutcome outcome_of(const Dispatch& ended);
[[nodiscard]] std::string_view to_string(DispatchOutcome outcome);

/// A pool whose last dispatches have failed one after another.
struct FailingPool {
    std::string pool;
    int n_in_a_row = 0;
    Dispatch last;
};
/// Returns the failing pools among rows in the order of list_dispatches; the pool whose last
/// failure is the newest comes last.
[[nodiscard]] std::vector<FailingPool> failing_pools(const std::vector<Dispatch>& dispatches);

/// Throws Unavailable as Store does.
class DispatchStore {
public:
    virtual ~DispatchStore() = default;

    /// The intent, before anything is submitted; times are filled in. Throws Conflict for an id
    /// that is there.
    virtual void add_dispatch(const Dispatch& dispatch) = 0;
    /// Sets native id, state, reason and exit code. False, with nothing changed, for one that has
    /// ended or is not there.
    virtual bool change_dispatch(const Dispatch& dispatch) = 0;
    /// Lists the dispatches that have not ended, or ended within `ended_within_s`, oldest first. An
    /// empty `place` stands for all places.
    [[nodiscard]] virtual std::vector<Dispatch> list_dispatches(const std::string& place,
                                                                double ended_within_s) = 0;
    /// Forgets the dispatches that ended longer ago; returns how many.
    virtual std::int64_t forget_dispatches(double ended_before_s) = 0;
    /// Claimable tasks of each pool of tasks, in order, counted up to `most` (>= 1).
    [[nodiscard]] virtual std::vector<std::int64_t> count_ready(std::span<const std::string> pools,
                                                                std::int64_t most) = 0;
};

/// Jobs, the tasks they share, and the workers that hold them. Every call is one transaction, safe
/// from any thread, and may be repeated when its reply was lost. Calls throw Unavailable when the
/// database is out of reach.
///
///   task:  blocked -> ready -> running -> (done | failed | cancelled: leaves the table)
///                       ^---- returned, retried, reaped ----'
///          held in place of ready while its campaign keeps it back (CampaignStore)
///   item:  live -> done | failed | cancelled; retry_job: failed | cancelled -> live
///   job:   active -> done | failed | cancelled; retry_job: failed | cancelled -> active
class Store : public AccessStore,
              public OwnerStore,
              public DrainStore,
              public RetentionStore,
              public CampaignStore,
              public DatasetStore,
              public DispatchStore,
              public OperationsStore {
public:
    /// Stores the job and, for each distinct content key, reuses the artifact, joins the live task
    /// or creates one. Throws InvalidArgument for a malformed submission, Conflict when the
    /// request id was used with another body.
    virtual SubmitResult submit(const Submission& submission) = 0;
    using CampaignStore::Stop;
    /// Detaches the job from its tasks; those that no other live item needs are cancelled. Nothing
    /// changes when it has ended. A job of more than bulk_piece items is cancelled in pieces:
    /// `stop` may end the call before the last one. Then the job is Job::cancelling, no task of
    /// its owner is claimed, and the same call, or a reap after a lease, goes on. Throws NotFound.
    virtual Job cancel_job(const std::string& job_id, const Actor& actor = {},
                           const Stop& stop = {}) = 0;
    /// Makes the failed and cancelled items of an ended job live again, those whose artifact was
    /// forgotten, and those that gather with them; the same rules as in submit (reuse, join,
    /// create, with attempts counted from 0), priority and owner as they were. Repeating it is
    /// harmless: an active job is returned as it is. Throws NotFound, NotReady when nothing failed
    /// or was cancelled. A large job is revived in pieces, which `stop` may end as in cancel_job.
    virtual Job retry_job(const std::string& job_id, const Actor& actor = {},
                          const Stop& stop = {}) = 0;
    /// Goes on with what a stopped submit, cancel or retry has left; whether anything is left.
    virtual bool finish_bulk(const std::string& job_id, const Stop& stop = {}) = 0;
    /// Forgets an ended job with its items and events; artifacts stay. Throws NotFound, NotReady
    /// while it or its campaign is active or its dataset is pinned, Aborted when `etag` is given
    /// and is not etag_of(job).
    virtual void delete_job(const std::string& job_id, const std::string& etag,
                            const Actor& actor = {}) = 0;
    /// Throws NotFound.
    [[nodiscard]] virtual Job get_job(const std::string& job_id) = 0;
    /// Returns the job without its request, which may be megabytes. Throws NotFound.
    [[nodiscard]] virtual Job look_at_job(const std::string& job_id) = 0;
    /// Job::event_seq of each, in order; nothing for a job that is gone.
    [[nodiscard]] virtual std::vector<std::optional<std::int64_t>> event_seqs(
        std::span<const std::string> job_ids) = 0;
    /// Newest first, at most `limit` (1..1000 after clamping). Throws InvalidArgument on a token
    /// that is not one of this listing's.
    [[nodiscard]] virtual Page<Job> list_jobs(const JobFilter& filter, int limit,
                                              const std::string& token) = 0;
    [[nodiscard]] virtual Page<JobItem> list_items(const std::string& job_id, int limit,
                                                   const std::string& token) = 0;
    /// Items of these ordinals, in this order. Throws NotFound when the job lacks one.
    [[nodiscard]] virtual std::vector<JobItem> items_at(const std::string& job_id,
                                                        std::span<const std::int64_t> ordinals) = 0;
    /// Nothing when no item has this label. Throws NotFound when the job is gone.
    [[nodiscard]] virtual std::optional<JobItem> find_item(const std::string& job_id,
                                                           const std::string& label) = 0;
    /// `content_keys`: of the sources that are wanted besides. Empty for a job that is gone.
    [[nodiscard]] virtual JobParts parts_of_job(const std::string& job_id,
                                                std::span<const std::string> content_keys) = 0;
    /// Events with seq > `after`, oldest first; those of cancelled items are left out unless
    /// `cancelled_items`.
    [[nodiscard]] virtual std::vector<JobEvent> list_events(const std::string& job_id,
                                                            std::int64_t after, int limit,
                                                            bool cancelled_items = true) = 0;
    [[nodiscard]] virtual std::optional<Artifact> find_artifact(const std::string& content_key) = 0;
    /// One answer per key, in order; fit for ten thousand keys.
    [[nodiscard]] virtual std::vector<std::optional<Artifact>> find_artifacts(
        std::span<const std::string> content_keys) = 0;
    /// Drops an artifact whose file is lost, so that it is computed again when wanted.
    virtual void forget_artifact(const std::string& content_key) = 0;

    /// Says where the files of this store's artifacts lie. The first call is kept; a later one with
    /// another store_id throws Conflict: its server would find files missing that are not lost.
    virtual void use_artifact_store(const ArtifactStoreId& mine) = 0;

    /// Binds the worker to its token. Repeating it is harmless; Conflict when this incarnation was
    /// lost, or a live worker of another token has one of its GPUs (but for agents that one server
    /// started, which share them), Exhausted when its token has live_workers_of_token live ones
    /// besides, PermissionDenied when it is another token's, or when the token
    /// is one worker's and that one lives.
    virtual void register_worker(const RegisteredWorker& worker) = 0;
    /// Assigns up to max_pack tasks of one verb, pool and compatibility key, the highest priority
    /// first.
    /// A repeated claim_id gets the same answer (an empty answer is not remembered). Counts as a
    /// sign of life. Throws NotFound for an unknown or lost worker, Conflict for another's
    /// claim_id.
    virtual std::vector<ClaimedTask> claim(const ClaimRequest& request) = 0;
    /// `held`: all that the worker knows to be its own. What it lacks time after time goes back,
    /// as with return_tasks.
    virtual HeartbeatReply heartbeat(const std::string& worker_id, std::span<const Held> held) = 0;
    /// One result becomes visible per content key; an answer per completion, in order. A task that
    /// failed with another worker counts against that one: see set_aside_after.
    ///
    /// A gatherer that was claimed without some results ends the items only of those jobs in which
    /// all of these failed or were cancelled; it does not become the artifact of its key, so that a
    /// retry makes it anew. For the other jobs, which joined later, it is queued again and waits
    /// for what is still live. So a job that is done never has a dataset that lacks a source.
    virtual std::vector<LeaseResult> complete(const std::string& worker_id,
                                              std::span<const Completion> completions) = 0;
    /// Back to ready after a delay when retryable, else failed for every job that joined. For
    /// others_first_s the task is then left to workers of other tokens, where such claim
    /// from its pool.
    virtual LeaseResult fail(const std::string& worker_id, const Failure& failure) = 0;
    /// Back to ready at once, the attempt not counted, but for those that come back time after
    /// time: see judge_return. `time_limit_s` > 0: the worker leaves at the end of its time, most
    /// of which it spent on these tasks; after max_cut_off of such in a row without a checkpoint
    /// they fail.
    virtual std::vector<LeaseResult> return_tasks(const std::string& worker_id,
                                                  std::span<const Held> tasks,
                                                  double time_limit_s = 0) = 0;
    /// The worker puts the file of a checkpoint next: from now on the store knows of the file, so
    /// that it is not left behind. Lost when none of the tasks is this worker's.
    virtual LeaseResult begin_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                         const std::string& sha256) = 0;
    /// The file is there: what these tasks' next attempts go on from, in place of an earlier one.
    /// Lost when none of them is this worker's any more.
    virtual LeaseResult set_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                       const Checkpoint& checkpoint) = 0;
    /// One answer per task, in order.
    [[nodiscard]] virtual std::vector<std::optional<Checkpoint>> find_checkpoints(
        std::span<const std::int64_t> task_ids) = 0;
    using RemoveFile = std::function<void(const std::string& sha256)>;
    /// Forgets the files of checkpoints that no live task goes on from, has each of them removed
    /// while none can be named anew, and tells which. `remove` calls nothing of the store; what it
    /// throws goes through, and the files are told again at the next call.
    virtual std::vector<std::string> forget_checkpoints(const RemoveFile& remove) = 0;
    /// Declares silent workers lost and takes their tasks back, fence and crash count raised.
    virtual ReapResult reap() = 0;
    /// To be called when the store's clock may have been set back: tasks that wait longer than any
    /// can are ready, and signs of life from the future are of now. Returns how many of both.
    virtual std::int64_t after_clock_step() = 0;

    /// Counts faults of GPUs. One with too many is cordoned: workers that have it claim nothing
    /// until it is uncordoned. Faults and cordon hold for the token that told them, and for those
    /// of the same server's agents: nobody cordons the GPU of a later owner. Returns why this
    /// worker is, or nothing. Throws NotFound for an unknown or lost worker.
    virtual std::string record_gpu_faults(const std::string& worker_id,
                                          std::span<const GpuFault> faults,
                                          const Actor& actor = {}) = 0;
    /// Frees a GPU and forgets its faults. Throws NotFound for one that is not cordoned.
    virtual void uncordon_gpu(const std::string& gpu_uuid, const Actor& actor = {}) = 0;
    /// Takes leave of a worker that ends in order: it is shown as gone, and counts as lost else.
    /// One that holds tasks is left to its lease, and nothing happens to one that is unknown or
    /// lost.
    virtual void remove_worker(const std::string& worker_id) = 0;
    /// Draining workers claim nothing more. Throws NotFound for an unknown or lost worker.
    virtual void drain_worker(const std::string& worker_id, bool draining, const Actor& actor = {},
                              const std::string& reason = {}) = 0;
    /// Live workers, and the last live_workers_of_token of each token that were lost or left
    /// within the last hour, newest first.
    [[nodiscard]] virtual std::vector<WorkerInfo> list_workers() = 0;
    /// Owners with a claimable task in one of the pools, sorted.
    [[nodiscard]] virtual std::vector<std::string> ready_owners(
        std::span<const std::string> pools) = 0;
    [[nodiscard]] virtual TaskCounts count_tasks() = 0;
    /// The store's clock, Unix time in seconds; throws Unavailable like any call, and so tells
    /// whether the store answers.
    [[nodiscard]] virtual double now_s() = 0;
};

}  // namespace kaname::store
