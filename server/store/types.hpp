// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/geo_box.hpp"
#include "solvers/base/pack.hpp"

namespace kaname::store {

/// Describes a dataset by its job's request, so that it can be found.
struct DatasetDescription {
    std::string physics;  ///< "elastic", "viscoelastic", "inversion"
    std::vector<std::string> faults;
    std::string structure_sha256;  ///< of the structure alone; empty: it has none
    std::vector<std::string> stations;
    std::optional<GeoBox> place;  ///< of sources and stations; nothing: no place on the globe
};

enum class ItemState { Live, Done, Failed, Cancelled };
enum class JobState { Active, Done, Failed, Cancelled };
enum class EventType { Submitted, ItemDone, ItemFailed, ItemCancelled, JobEnded, Retried };

[[nodiscard]] std::string_view to_string(ItemState state);
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] std::string_view to_string(EventType type);
/// The reverse; throws Internal on other text, which only a damaged database holds.
[[nodiscard]] ItemState parse_item_state(std::string_view text);
[[nodiscard]] JobState parse_job_state(std::string_view text);
[[nodiscard]] EventType parse_event_type(std::string_view text);

/// Limits and delays that both stores apply alike.
struct StoreOptions {
    double lease_s = 30;  ///< a worker silent for longer is lost
    int poison = 3;       ///< crashes that make a task dead; one fewer makes it run alone
    int max_pack = kSourcesPerPack;  ///< tasks per claim
    int max_attempts = 10;           ///< a retryable failure of this attempt is final
    double backoff_s = 2;            ///< first delay after a failure or crash; doubles each attempt
    double backoff_max_s = 600;      ///< longest delay, without jitter, which adds up to a quarter
    double prefer_held_s = 120;      ///< age of the first task in line up to which held keys win
    int max_refunds = 5;             ///< returns of a task without progress that are not counted
    /// Workers in a row that reach their time limit before a task has a checkpoint: it fails then.
    int max_cut_off = 5;
    int absent_heartbeats = 2;  ///< heartbeats that lack an assigned task before it goes back
    double checkpoint_upload_s = 7200;  ///< time in which a checkpoint's file must arrive
    double claim_memory_s = 3600;       ///< how long an answered claim can be replayed
    int request_memory_days = 30;       ///< for which the request of a deleted job stays known
    int gpu_faults = 3;                 ///< faults within gpu_fault_memory_s that cordon a GPU
    double gpu_fault_memory_s = 3600;
    /// Tasks that one transaction of bulk work touches; jobs of more are created in pieces, too.
    int bulk_piece = 2000;
    int live_workers_of_token = 64;  ///< workers that one token may have registered at a time
    /// Tasks in a row that failed with a worker and that others did: it is cordoned then.
    int set_aside_after = 5;
    /// For so long a task that failed is left to workers of other tokens, where such live.
    double others_first_s = 60;
    /// The newest datasets, which a list looks at one by one before it asks an index.
    int dataset_walk = 400;
};

/// One wanted result: a task of the job's graph, whose edges are `needs` and `gathers`. Equal
/// content keys are computed once, whoever asks. The store knows no verb and no pool.
struct WantedItem {
    std::string content_key;  ///< SHA-256, 64 lower-case hexadecimal digits
    std::string verb;         ///< what a worker is to run: [a-z][a-z0-9-]*, at most 32 characters
    std::string compat_key;   ///< tasks of one non-empty key and one verb can share a pack
    std::string pool;         ///< the workers that can run it name this pool in their claims
    /// Content keys of items of the same job: all must be done first, and it fails with them.
    std::vector<std::string> needs = {};
    std::string label = {};    ///< for people and results: the source's id, "mesh", "package"
    std::string payload = {};  ///< kept for whoever hands the task out; at most 4 KiB
    /// Content keys of items of the same job that must have ended first, whatever became of them:
    /// it takes those that are done, and fails when none is.
    std::vector<std::string> gathers = {};
    bool source = false;  ///< counts as a source of its job
};

/// Who asked for a change: it is kept with the change (see AccessStore). Without a name nothing is.
struct Actor {
    std::string name, role;
};

struct Submission {
    std::string principal, request_id;  ///< together the idempotency key
    std::string body_sha256;            ///< hash of the whole request
    std::string owner;                  ///< whose share the work counts against
    std::string name;                   ///< for people and filters
    std::string request;                ///< kept as it is, given back by get_job
    std::string estimate = {};          ///< times of its stages; kept as it is
    int priority = 0;                   ///< higher runs first
    std::vector<WantedItem> items;
    Actor actor = {};
    /// Hashes of the files that its payloads lead to: kept while the job or one of its tasks is.
    std::vector<std::string> files = {};
    /// Called when no collector can remove these any more; throws when one is not there. Calls
    /// nothing of the store.
    std::function<void()> check_files = {};
    /// The member of a campaign that it is, see CampaignStore; empty: of none. Refused with
    /// NotReady unless the campaign is active and the member waits.
    std::string campaign = {};
    std::int64_t member = 0;
    DatasetDescription dataset = {};  ///< of what it makes
    std::string job_id = {};          ///< UUID that the job gets, unless it is replayed; empty: any
    std::string traceparent = {};     ///< kept as it is
    /// Asked between the pieces in which tasks of a large job are created: true ends the call, with
    /// SubmitResult::materialising.
    std::function<bool()> stop = {};
};

struct SubmitResult {
    std::string job_id;     ///< UUID
    bool replayed = false;  ///< this request was answered before
    /// Distinct content keys, as they were when the job was stored.
    std::int64_t n_created = 0, n_joined = 0, n_cached = 0;
    /// Not all tasks are there: Store::finish_bulk, or a reap after a lease, creates the others.
    bool materialising = false;
};

struct Job {
    std::string job_id, owner, name, request, estimate;
    JobState state = JobState::Active;
    int priority = 0;
    /// Items; n_total = n_done + n_failed + n_cancelled + n_live always.
    std::int64_t n_total = 0, n_done = 0, n_failed = 0, n_cancelled = 0, n_live = 0;
    /// The items that are sources, and how many of them were there before the job was submitted.
    std::int64_t n_sources = 0, n_sources_done = 0, n_sources_failed = 0, n_sources_reused = 0;
    std::int64_t event_seq = 0;         ///< number of the newest event
    double created_s = 0, ended_s = 0;  ///< Unix time of the store's clock; 0: not ended
    std::string traceparent = {};
    bool cancelling = false;  ///< active, but its items are being cancelled, piece by piece
    /// The campaign that it is a member of, with its label there; empty: of none, or it is gone.
    std::string campaign_id = {}, member = {};
};

/// Changes with every change of the job.
[[nodiscard]] std::string etag_of(const Job& job);
/// The uuid of "jobs/<uuid>", "datasets/<uuid>" or a uuid alone. Throws InvalidArgument naming
/// `field`.
[[nodiscard]] std::string id_of(const std::string& name, const std::string& collection,
                                const std::string& field);

struct JobItem {
    std::int64_t ordinal = 0;  ///< position in the submission
    std::string content_key, verb;
    bool source = false;
    ItemState state = ItemState::Live;
    std::string label;
    std::string error;    ///< why the item failed
    bool reused = false;  ///< its artifact was there when the job was submitted
    std::string sha256;   ///< result of a done item
    std::int64_t bytes = 0;
    std::int64_t n_missing = 0;  ///< what the result of a done gatherer lacks
};

/// Attempts in a row on a task that ended with the time of their workers, without a checkpoint.
struct CutOff {
    std::string label = {};  ///< of the task; empty: there are none
    int n = 0;
    double time_limit_s = 0;  ///< of the last of these workers
};

/// A job's items as far as its progress needs them: few, however many sources it has.
struct JobParts {
    std::vector<JobItem> others;   ///< all that are no sources
    std::string source_verb = {};  ///< of its sources; empty: it has none
    std::vector<JobItem> live;     ///< live sources that were asked for by their keys
    CutOff cut_off = {};           ///< of the live item with most
};

/// Events of one job are numbered 1, 2, 3 ... without gaps.
struct JobEvent {
    std::int64_t seq = 0;
    EventType type = EventType::Submitted;
    std::int64_t ordinal = -1;  ///< the item, or -1 for the whole job
    std::string detail;         ///< error of an item, state of an ended job
};

template <typename T>
struct Page {
    std::vector<T> rows;
    std::string next;  ///< token of the page that follows; empty on the last one
};

struct JobFilter {
    std::string owner;  ///< empty: all
    std::string name;   ///< empty: all
    std::optional<JobState> state;
    std::string id_prefix = {};  ///< with which job_id begins; empty: all
};

struct RegisteredWorker {
    std::string worker_id;  ///< one per incarnation
    std::string name;       ///< for people
    std::string host = {}, version = {};
    int ranks = 1, threads = 1;               ///< threads of each rank
    std::vector<std::string> gpu_uuids = {};  ///< none on a CPU worker
    std::string token_id = {};                ///< of the token that it is bound to
};

/// A worker waits, works, or is being drained: then claims give it nothing more.
struct WorkerInfo {
    RegisteredWorker registered;
    bool lost = false, draining = false;
    double heartbeat_age_s = 0;
    std::int64_t n_running = 0;  ///< tasks that it holds
    std::string cordon;          ///< why claims give it nothing: one of its GPUs; mostly empty
    bool gone = false;           ///< took its leave: `lost` too, but nothing was lost with it
    std::string drain = {};  ///< what of it an operator drains: "host n7", "gpu GPU-1", or nothing
};

/// Held identifies an assigned task: a worker quotes it in each report. The fence grows with every
/// assignment.
struct Held {
    std::int64_t task_id = 0, fence = 0;
    friend auto operator<=>(const Held&, const Held&) = default;
};

struct ClaimRequest {
    std::string worker_id;
    std::vector<std::string> pools;  ///< any of these
    std::string claim_id;            ///< new for each claim, the same for its repetitions
    std::string held_compat_key;     ///< preferred within equal priority; may be empty
    std::string owner;               ///< only this owner's tasks; empty: whoever is first in line
    /// Limits, by owner, how many tasks run at a time.
    std::map<std::string, std::int64_t> running_limits = {};
    /// The owner's task that has waited longest comes first, whatever its priority.
    bool oldest_first = false;
};

struct ClaimedTask {
    std::int64_t task_id = 0, fence = 0;
    int attempt = 0;  ///< 1 for the first
    std::string verb, content_key, compat_key, owner, label, payload;
    /// Content keys of what a gatherer is to be made without: their results were not there when it
    /// was claimed. What the completed file lacks is judged by these.
    std::vector<std::string> missing = {};
    double waited_s = -1;  ///< since it could start; -1: a repeated answer does not tell

    [[nodiscard]] Held held() const { return {task_id, fence}; }
};

struct HeartbeatReply {
    bool known = true;                  ///< false: stop all work and register anew
    bool draining = false;              ///< finish what is held, claim no more
    std::vector<std::int64_t> cancels;  ///< held tasks that nobody wants any more
    std::vector<std::int64_t> lost;     ///< held tasks that are no longer this worker's
    std::string cordon;                 ///< as in WorkerInfo
};

struct Artifact {
    std::string content_key, sha256, uri;
    std::int64_t bytes = 0;
};

/// A folder of files, known by the UUID that it holds.
struct ArtifactStoreId {
    std::string store_id;
    std::string place;  ///< for people: host and path
};

/// Checkpoint is the file of the artifact store from which the next attempt of a task goes on.
struct Checkpoint {
    std::string sha256;
    std::int64_t bytes = 0;
    int step = 0;  ///< the step solved last
};

struct Completion {
    Held task;
    std::string sha256, uri;
    std::int64_t bytes = 0;
    /// It lacks something of what it gathers, as its maker says; see Store::complete.
    bool partial = false;
};

struct Failure {
    Held task;
    std::string error_class, message;
    bool retryable = false;
    /// The computation died or hung: tried again up to the poison limit, alone before the last, so
    /// that one bad source does not sink those that shared its pack.
    bool crashed = false;
};

/// Returns true if a failed task is tried again; `crash_count` includes this failure.
[[nodiscard]] bool tried_again(const StoreOptions& options, const Failure& failure, int attempt,
                               int crash_count);

/// Tells how a task counts that its worker gives back, or no longer holds.
enum class ReturnedTask {
    Refunded,  ///< ready at once, the attempt not counted
    Counted,   ///< as after a retryable failure
    Failed,    ///< for good
};
/// The first max_refunds are refunded; so is every one of a draining worker, which claims nothing
/// more: however often workers are stopped in good order, no task fails of it. The count begins
/// again with each checkpoint.
[[nodiscard]] ReturnedTask judge_return(const StoreOptions& options, int attempt, int refunds,
                                        bool draining);

/// Something that counts against a GPU.
struct GpuFault {
    std::string fault_id;  ///< told again, it counts once
    std::string gpu_uuid, reason;
};

/// Ok also answers the repetition of a call whose reply was lost.
enum class LeaseResult { Ok, Lost };

struct ReapResult {
    std::int64_t workers_lost = 0, tasks_returned = 0, tasks_dead = 0;
};

struct TaskCounts {
    std::int64_t blocked = 0, ready = 0, running = 0;
    std::int64_t held = 0;  ///< would be ready, but for the campaign that they are of
};

}  // namespace kaname::store
