// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/agent/lease/lease.hpp"
#include "worker/agent/lease/reporter.hpp"
#include "worker/agent/stages/pack.hpp"
#include "worker/agent/stages/stages.hpp"

namespace kaname::agent {

/// The parts of a lease that hold tasks.
struct LeaseParts {
    Lease& lease;
    WorkersClient& client;
    InputCache& cache;
    Reporter& reporter;
    const std::atomic<bool>& stop;
    const std::function<void(const std::string&)>& log;
};

/// Holds the tasks of one claim for their stage.
class PackHolder final : public Holder {
public:
    PackHolder(const v1::ClaimResponse& claimed, LeaseParts parts)
        : tasks_(claimed.tasks().begin(), claimed.tasks().end()), parts_(parts) {}

    /// Asks again while the server is away and the tasks are held.
    std::filesystem::path fetch(const std::string& label, const std::string& sha256) override;
    [[nodiscard]] std::filesystem::path files() const override { return parts_.cache.folder(); }
    void set_progress(double fraction, double eta_s, const std::string& text) override;
    void put_log(const std::string& piece) override;
    void put_checkpoint(const std::filesystem::path& file, int step) override;
    void say(const std::string& line) override { parts_.log(line); }
    [[nodiscard]] bool stopping() const override { return parts_.stop; }
    [[nodiscard]] bool wanted() const override { return !parts_.lease.held().all_dropped(tasks_); }

private:
    std::vector<v1::Task> tasks_;
    LeaseParts parts_;
};

struct AgentOptions {
    std::filesystem::path work;  ///< folder of its own: cache, files of the running tasks
    std::filesystem::path compute;
    std::string name, version;
    run::Ranks ranks = 1;
    int threads = 1;                    ///< of each rank
    std::string device = "auto";        ///< device that sessions use: auto, cpu, cuda
    std::vector<std::string> pools;     ///< pools whose tasks it claims
    std::chrono::seconds idle_exit{0};  ///< leave after so long without work; 0: never
    /// It is stopped so long after `begun`; 0: never.
    std::chrono::duration<double> leave_after{0};
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::chrono::seconds no_server{600};   ///< leave after so long without one that knows the token
    std::chrono::seconds full_store{300};  ///< wait for room on the server, then fail
    std::chrono::seconds hang{600};        ///< see HangWatch
    std::chrono::seconds upload_grace{15};  ///< for what is computed, when it is asked to stop
    std::chrono::seconds probe_limit{120};  ///< a GPU that answers later than that is dead
    GpuWatch::Readings gpu_readings = {};   ///< reads this machine's GPUs; empty: no telemetry
    std::uint64_t cache_bytes = std::uint64_t{8} << 30;
    /// As StageOptions.
    std::optional<run::Confinement> confinement = {};
    std::uint64_t memory_bytes = 0;
};

/// Claims tasks, has kaname-compute do them, and reports. It survives the crash of a computation
/// and of the server; without contact for a lease it stops computing, since its tasks are then
/// somebody else's. It claims nothing until its GPUs have computed a right answer, at the start
/// and after each of their faults.
class Agent {
public:
    /// `stop` is set by a signal; `log` gets one line each, from any thread.
    Agent(AgentOptions options, WorkersClient& client, const std::atomic<bool>& stop,
          std::function<void(const std::string&)> log);

    /// Returns when asked to stop, drained, or idle for too long (all with nothing held). Throws
    /// Unavailable, Unauthenticated or PermissionDenied when there was no server for too long, or
    /// none that takes the token; no other answer of a server ends it.
    void run();

private:
    using Clock = std::chrono::steady_clock;

    /// One round: registered, ready, claimed, worked. False when it is time to leave.
    bool work_once();
    [[nodiscard]] bool idle_for_long();
    /// False when a GPU does not compute; the lease says why. Throws Stopped.
    bool probe();
    void work(const v1::ClaimResponse& claimed);
    void report(const v1::ClaimResponse& claimed, const std::vector<StageOutcome>& made);
    void pause(double seconds) const;
    /// Returns leave_after where that time is over and was spent on the last work for the most
    /// part, so that a worker that begins with it comes no further; else 0.
    [[nodiscard]] std::chrono::duration<double> time_used_up() const;
    [[nodiscard]] StageOptions stage_options() const;

    AgentOptions options_;
    WorkersClient& client_;
    const std::atomic<bool>& stop_;
    std::function<void(const std::string&)> log_;
    Lease lease_;
    InputCache cache_;
    Reporter reporter_;
    Stages stages_;
    Clock::time_point last_work_ = Clock::now();
    Clock::time_point last_claim_ = Clock::now();  ///< that gave work
    std::string paused_;  ///< why the server starts nothing; empty: it does
    double probe_delay_s_ = 0.0;
};

/// StageFailure describes, for the server, why a stage failed.
struct StageFailure {
    std::string error_class, message;
    FailureKind kind = FailureKind::Retryable;
};

[[nodiscard]] StageFailure describe_failure(const std::exception_ptr& thrown);

}  // namespace kaname::agent
