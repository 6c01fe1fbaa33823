// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "worker/agent/stages/pack.hpp"
#include "worker/agent/stages/watch.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/events.hpp"

namespace kaname::agent {

/// Callbacks holds the functions by which a running verb reports, and asks whether to go on.
struct Callbacks {
    std::function<void(const run::Progress&)> on_progress;
    std::function<void(const std::string&)> on_log;
    /// Called a few times per second; what it throws ends the verb.
    std::function<void()> check;
    std::function<void(const run::Checkpoint&)> on_checkpoint;
    /// True once the tasks are no longer wanted.
    std::function<bool()> cancelled;
};

/// MadeItem describes the outcome of one item of a pack.
struct MadeItem {
    std::string id;
    std::filesystem::path file;
    bool failed = false;
    std::string failure;
};

/// One `kaname-compute VERB --serve`: set up once, then pack after pack.
class VerbSession {
public:
    /// Starts and waits until it is ready; the arguments begin with the verb. Throws what the
    /// program reports, RunFailed when it crashes or hangs.
    VerbSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                run::Ranks ranks, const run::ResourceLimits& limits, std::chrono::seconds hang,
                const Callbacks& callbacks, const std::string& traceparent);
    VerbSession(const VerbSession&) = delete;
    VerbSession& operator=(const VerbSession&) = delete;

    /// Throws TasksWithdrawn when the pack was cancelled, RunFailed when the session is dead
    /// afterwards, and what the program reports about the pack, after which the session goes on.
    std::vector<MadeItem> run(const std::vector<std::string>& ids, const Callbacks& callbacks,
                              const std::string& traceparent);

private:
    /// The next result or failure.
    run::Event wait(const Callbacks& callbacks);

    std::string name_;  ///< program and verb, for errors
    run::ComputeSession session_;
    HangWatch watch_;
    int n_packs_ = 0;
};

struct StageOptions;

/// Runs the verb of the pack's task as a process of its own. Throws RunFailed when it crashes or
/// hangs, TasksWithdrawn when nobody wants it any more, and what the verb reports; InvalidArgument
/// when the task is not alone.
[[nodiscard]] StageOutcome run_once(const Pack& pack, const StageOptions& options,
                                    const Callbacks& callbacks);

/// How kaname-compute is run.
struct StageOptions {
    std::filesystem::path folder;    ///< for files of the running tasks; emptied at the start
    std::filesystem::path compute;   ///< kaname-compute
    run::Ranks ranks = 1;            ///< of sessions
    int threads = 1;                 ///< of each; once, one process has threads for all ranks
    std::string device = "auto";     ///< of sessions
    std::chrono::seconds hang{600};  ///< see HangWatch
    /// Names what every stage may access besides the files of its tasks. A request that
    /// somebody else wrote may do what it likes with it. Nothing: stages are not confined.
    std::optional<run::Confinement> confinement = {};
    std::uint64_t memory_bytes = 0;  ///< address space of a process that uses no GPU; 0: no limit
    bool gpus = false;               ///< sessions use GPUs, whose drivers reserve what they like
};

/// Bounds of the processes of a pack's stage, which read the pack's files and write to its folder.
/// `sessions`: they use the GPUs where there are any.
[[nodiscard]] run::ResourceLimits limits_of(const StageOptions& options, const Pack& pack,
                                            bool sessions);

/// Has kaname-compute do the tasks of a claim, once or by a session that stays open for the next
/// claim of the same verb and compatibility key.
class Stages {
public:
    using Deliver = std::function<void(const std::vector<StageOutcome>&)>;

    /// `settle` returns once the results that were delivered are taken care of: their files may go.
    Stages(StageOptions options, std::function<void()> settle);
    ~Stages();
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    /// Delivers what became of each task; what ran once is gone afterwards, the results of a
    /// session go with it. Throws Stopped, TasksWithdrawn, RunFailed, InputMissing, and what the
    /// verb reports.
    void run(const v1::ClaimResponse& claimed, Holder& holder, AttemptLog& log,
             const Deliver& deliver);
    /// Returns the key of the open session; empty if none is open.
    [[nodiscard]] const std::string& compat_key() const { return session_key_; }
    void close_session();
    /// Sessions from now on use GPUs, or none.
    void use_gpus(bool any) { options_.gpus = any; }

private:
    [[nodiscard]] std::vector<StageOutcome> run_in_session(Pack& pack);
    void open_session(Pack& pack, const Callbacks& callbacks);
    [[nodiscard]] Callbacks callbacks_of(Pack& pack);

    StageOptions options_;
    std::function<void()> settle_;
    Checkpoints checkpoints_;
    std::unique_ptr<VerbSession> session_;
    std::string session_verb_, session_key_;
    std::filesystem::path session_folder_;  ///< of the pack that opened it; empty: none is open
    int n_packs_ = 0;
};

/// Lets the GPUs that sessions would take compute, with kaname-compute. Throws what it reports,
/// RunFailed when it says nothing for longer than `limit`, Stopped once `stop` holds.
[[nodiscard]] v1::ProbeReport probe_gpus(const StageOptions& options, std::chrono::seconds limit,
                                         const std::function<bool()>& stop,
                                         const std::function<void(const std::string&)>& log);

}  // namespace kaname::agent
