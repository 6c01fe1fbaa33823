// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "solvers/base/log_throttle.hpp"
#include "worker/agent/gpu_watch.hpp"
#include "worker/agent/held_tasks.hpp"
#include "worker/agent/input_cache.hpp"
#include "worker/agent/reporter.hpp"
#include "worker/agent/verb_session.hpp"

namespace kaname::agent {

/// The name of this machine.
[[nodiscard]] std::string host_name();

struct AgentOptions {
    std::filesystem::path work;  ///< folder of its own: cache, files of the running tasks
    std::filesystem::path compute;
    std::string name, version;
    int ranks = 1, threads = 1;            ///< threads of each rank
    std::string device = "auto";           ///< device that sessions use: auto, cpu, cuda
    std::vector<std::string> pools;        ///< pools whose tasks it claims
    std::chrono::seconds idle_exit{0};     ///< leave after so long without work; 0: never
    std::chrono::seconds no_server{600};   ///< leave after so long without one that knows the token
    std::chrono::seconds full_store{300};  ///< wait for room on the server, then fail
    std::chrono::seconds hang{600};        ///< see HangWatch
    std::chrono::seconds probe_limit{120};  ///< a GPU that answers later than that is dead
    GpuWatch::Readings gpu_readings = {};   ///< reads this machine's GPUs; empty: no telemetry
    std::uint64_t cache_bytes = std::uint64_t{8} << 30;
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
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    /// Returns when asked to stop, drained, or idle for too long (all with nothing held). Throws
    /// Unavailable, Unauthenticated or PermissionDenied when there was no server for too long, or
    /// none that takes the token; no other answer of a server ends it.
    void run();

private:
    using Clock = std::chrono::steady_clock;
    struct Pack;

    void register_anew();
    v1::RegisterResponse send_registration(const std::vector<std::string>& gpus);
    /// False when a GPU does not compute; not_ready() says why. Throws Stopped.
    bool probe();
    void set_not_ready(const std::string& why);
    [[nodiscard]] std::string not_ready() const;
    void beat();
    void heartbeats();
    v1::ClaimResponse claim();
    void work(const v1::ClaimResponse& claimed);
    void prepare(Pack& pack);
    /// The file; waits while the server is away and the tasks are held. Throws InputMissing.
    std::filesystem::path fetch(const Pack& pack, const std::string& label,
                                const std::string& sha256);
    void run_once(Pack& pack);
    void run_in_session(Pack& pack);
    void open_session(Pack& pack, const SessionCallbacks& callbacks);
    void keep_checkpoint(Pack& pack, const run::Checkpoint& written);
    void offer_checkpoint(Pack& pack);
    void close_session();
    void fail_all(Pack& pack, const std::string& error_class, const std::string& message,
                  FailureKind kind);
    void return_held();
    void leave();
    void pause(double seconds) const;
    [[nodiscard]] SessionCallbacks callbacks_of(Pack& pack);
    void run_verb(Pack& pack, std::vector<std::string> arguments, int* exit_code);
    /// The lines that begin and end an attempt in the log.
    void log_begin(Pack& pack) const;
    void log_end(Pack& pack, const std::string& how);
    void uploading(Pack& pack);
    void send_log(Pack& pack, bool now);
    [[nodiscard]] std::string worker_id() const;
    /// A call was taken.
    void contact() { last_contact_ = last_answer_ = Clock::now().time_since_epoch().count(); }
    /// A call was refused by a server that knows the token.
    void answer() { last_answer_ = Clock::now().time_since_epoch().count(); }
    [[nodiscard]] static std::chrono::duration<double> since(const std::atomic<Clock::rep>& when);
    /// What becomes of a refused or lost call of the main loop; throws when it is time to leave.
    void bear(const Error& error);

    AgentOptions options_;
    WorkersClient& client_;
    const std::atomic<bool>& stop_;
    std::function<void(const std::string&)> log_;
    LogThrottle trouble_{log_};
    HeldTasks held_;
    InputCache cache_;
    mutable std::mutex mutex_;
    std::string worker_id_, not_ready_, cordoned_;
    std::atomic<bool> registered_ = false, draining_ = false, done_ = false;
    std::atomic<Clock::rep> last_contact_ = 0, last_answer_ = 0;
    std::atomic<double> heartbeat_s_ = 5, lease_s_ = 30;
    Reporter reporter_;
    GpuWatch gpus_;
    std::unique_ptr<VerbSession> session_;
    std::string session_verb_, session_key_;
    std::filesystem::path session_folder_;
    int n_tasks_ = 0;
    int n_checkpoints_ = 0;
    std::thread heartbeat_thread_;
};

}  // namespace kaname::agent
