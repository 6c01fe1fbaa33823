// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// An attempt that failed, or whose worker was lost.
struct AttemptFailure {
    double at_s = 0;
    std::int64_t task_id = 0;
    std::string label;  ///< of the task; empty where that was gone
    std::string worker, host;
    std::string error;    ///< "NotConverged: ..."
    std::string payload;  ///< of the task
};

struct ReportedGpuFault {
    double at_s = 0;
    std::string reason;
};

/// How the database is, as it says itself.
struct DatabaseState {
    std::string version;
    std::int64_t bytes = 0, live_tuples = 0, dead_tuples = 0, connections = 0;
    /// Gives the age of the oldest transaction that keeps dead rows and whose beginning the role
    /// may see [s]; 0: there is no such transaction. DatabaseLook includes other transactions; NaN:
    /// unknown.
    double oldest_xmin_age_s = 0;
    std::string schema;                            ///< newest migration
    std::vector<std::string> hidden_holders = {};  ///< what keeps dead rows since nobody says when
};

struct Backup {
    std::string backup_id, folder, host;
    std::string artifacts;              ///< copy, link or manifest
    std::string state;                  ///< running, done or failed
    double started_s = 0, ended_s = 0;  ///< 0: not ended
    std::int64_t files = 0, bytes = 0, database_bytes = 0;
    std::string error;
};

/// Reads the figures that operators look at. Throws Unavailable as Store does.
class OperationsStore {
public:
    virtual ~OperationsStore() = default;

    /// Newest first.
    [[nodiscard]] virtual std::vector<AttemptFailure> list_failures(int limit) = 0;
    /// Returns how long the task has waited that could start and has waited longest [s]; 0: no task
    /// could start.
    [[nodiscard]] virtual double oldest_ready_age_s() = 0;
    [[nodiscard]] virtual std::int64_t count_active_jobs() = 0;
    /// Reads sums over all tables: not for every call.
    [[nodiscard]] virtual DatabaseState look_at_database() = 0;
    /// Faults that count against these GPUs, newest first, at most 20 of each.
    [[nodiscard]] virtual std::map<std::string, std::vector<ReportedGpuFault>> list_gpu_faults(
        std::span<const std::string> gpu_uuids) = 0;
    /// Newest first, at most 100.
    [[nodiscard]] virtual std::vector<Backup> list_backups() = 0;
};

/// A file to which nothing refers.
struct LooseFile {
    std::string sha256;
    double age_s = 0;     ///< since that was noted
    bool result = false;  ///< of a content key: who wants the same again gets it at once
};

/// A file that may go when nothing has referred to it for so long.
struct Removable {
    std::string sha256;
    double least_s = 0;
};

/// For how long history is kept.
struct History {
    double ended_s = 30 * 86400.0;     ///< attempts, ended tasks, lost workers, faults of GPUs
    double audit_s = 400 * 86400.0;    ///< what was changed
    double refusals_s = 90 * 86400.0;  ///< what was refused
};

/// Keeps which files are in use and since when others are not. A job refers to its request,
/// the files that it names and its results, as do tasks that outlive it. A worker refers to its
/// uploads for two days. Throws Unavailable as Store does.
class RetentionStore {
public:
    virtual ~RetentionStore() = default;

    /// Returns those of `files` to which nothing refers, in the order of their hashes, and notes
    /// since when. A file that is referred to meanwhile begins anew.
    virtual std::vector<LooseFile> note_loose_files(std::span<const std::string> files) = 0;
    /// Forgets those to which nothing has referred for as long as each says, with the results of
    /// content keys that they are, and returns their hashes. `remove` is called for each, while
    /// nobody can come to refer to it, and says whether it is gone; it calls nothing of the store,
    /// what it throws goes through. Files that somebody is about to name are left out.
    using TakeFile = std::function<bool(const std::string& sha256)>;
    virtual std::vector<std::string> forget_files(std::span<const Removable> files,
                                                  const TakeFile& remove) = 0;
    /// Files that lie among the checkpoints: those of which the store knows nothing go with the
    /// next call of forget_checkpoints.
    virtual void adopt_checkpoints(std::span<const std::string> files) = 0;
    /// Returns true if the caller is to remove old data: no server has begun to within
    /// `interval_s`.
    [[nodiscard]] virtual bool begin_upkeep(double interval_s) = 0;
    /// Removes what is older, at most `limit` (>= 1) rows of a kind; how many in all. 0: nothing is
    /// left to remove.
    virtual std::int64_t prune(const History& history, int limit) = 0;
};

enum class DrainKind { Host, Gpu };

/// Drain names a host or GPU that an operator wants no work on, until it is lifted. It concerns all
/// workers of the host or with the GPU, whoever starts them: they finish the tasks that they hold
/// and leave.
struct Drain {
    DrainKind kind = DrainKind::Host;
    std::string value;  ///< name of the host, UUID of the GPU
    std::string host;   ///< where that is; of a GPU: where it was seen last, empty: nowhere yet
    std::string reason = {};
    double since_s = 0;  ///< set by the store, as `by` is: the actor
    std::string by = {};
};

enum class CordonKind { Host, Gpu, Worker };

/// Cordon names workers that claims give nothing, until it is lifted: all workers of a host or with
/// a GPU, whoever starts them, or one worker while it lives. They finish the tasks that they hold,
/// and stay.
struct Cordon {
    CordonKind kind = CordonKind::Gpu;
    std::string value;  ///< name of the host, UUID of the GPU, id of the worker
    std::string host;   ///< as in Drain; empty of a worker
    std::string reason = {};
    /// Set by the store, as `by` is: the actor; empty: the GPU's faults, or tasks of the worker
    /// that failed and that others did.
    double since_s = 0;
    std::string by = {};
    /// By faults that were told with a token which no server made for its agents: it holds for
    /// workers of that token alone.
    bool of_one_token = false;
};

/// Throws Unavailable as Store does.
class DrainStore {
public:
    virtual ~DrainStore() = default;

    /// Sets or lifts a drain; `host` is filled in by the store. Repeating it is harmless and may
    /// change the reason, but lifting one that does not exist throws NotFound.
    virtual void set_drain(const Drain& drain, bool on, const Actor& actor = {}) = 0;
    [[nodiscard]] virtual std::vector<Drain> list_drains() = 0;

    /// Sets or lifts a cordon as set_drain does; a GPU that its faults cordoned stays cordoned by
    /// them. Lifting that of a GPU forgets its faults. Throws NotFound also for a worker that is
    /// unknown or lost.
    virtual void set_cordon(const Cordon& cordon, bool on, const Actor& actor = {}) = 0;
    /// By kind and value.
    [[nodiscard]] virtual std::vector<Cordon> list_cordons() = 0;
};

/// Returns the text about a cordon that workers receive; it is for people.
[[nodiscard]] std::string cordon_text(const Cordon& cordon);

}  // namespace kaname::store
