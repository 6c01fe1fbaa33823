// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "worker/agent/lease/held_tasks.hpp"
#include "worker/agent/lease/workers_client.hpp"
#include "worker/telemetry/sampler.hpp"

namespace kaname::agent {

/// Returns true if an XID means that the GPU failed, and not a program that used it.
[[nodiscard]] bool blames_hardware(std::uint32_t xid);

/// The GPUs of this worker: their readings and faults on the way to the server, and whether they
/// must be probed before the next work. For the loop that works and the one that sends heartbeats.
///
/// Two things count against a GPU: a fault of a solve and an XID that blames the hardware, one per
/// GPU between two probes, since one incident shows as both. A fault that may be the program's
/// counts once per task: a source that faults wherever it goes must not take GPU after GPU out of
/// service.
class GpuWatch {
public:
    using Readings = std::function<std::vector<telemetry::GpuReading>()>;
    /// `readings` may be empty: no telemetry. `log` gets one line each.
    GpuWatch(Readings readings, std::function<void(const std::string&)> log)
        : readings_(std::move(readings)), log_(std::move(log)) {}

    /// Notes the GPUs that have computed a right answer.
    void probed(std::vector<std::string> uuids);
    [[nodiscard]] std::vector<std::string> gpus() const;
    [[nodiscard]] bool probe_wanted() const;

    /// A solve of these tasks ended with it.
    void failed(const DeviceFault& fault, const std::string& what,
                const std::vector<std::int64_t>& tasks);

    /// Readings and faults of a heartbeat; `told` once it has been answered.
    void describe(v1::HeartbeatRequest& request);
    void told(const v1::HeartbeatRequest& request);

private:
    void count(const std::string& gpu, const std::string& reason);

    Readings readings_;
    std::function<void(const std::string&)> log_;
    mutable std::mutex mutex_;
    std::vector<std::string> gpus_;
    bool probe_wanted_ = true;
    std::set<std::string> counted_;  ///< GPUs with a fault since the last probe
    std::set<std::int64_t> blamed_tasks_;
    std::map<std::string, v1::GpuFault> pending_;  ///< by fault_id
};

/// LeaseOptions holds the properties that a worker registers with, and how it keeps its lease.
struct LeaseOptions {
    std::string name, version;
    int ranks = 1, threads = 1;
    std::vector<std::string> pools;        ///< pools whose tasks it claims
    std::string not_ready = {};            ///< why it claims nothing at first; empty: it does
    std::chrono::seconds no_server{600};   ///< see bear()
    GpuWatch::Readings gpu_readings = {};  ///< reads this machine's GPUs; empty: no telemetry
};

/// This worker's place at the server: registered, kept by heartbeats in a thread of its own, with
/// the tasks that it holds. Without contact for a lease they are somebody else's, and are dropped.
class Lease {
public:
    using Log = std::function<void(const std::string&)>;

    Lease(LeaseOptions options, WorkersClient& client, Log log);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] bool registered() const { return registered_; }
    /// The server wants it to finish what it holds, and end.
    [[nodiscard]] bool draining() const { return draining_; }
    [[nodiscard]] std::string worker_id() const;
    [[nodiscard]] HeldTasks& held() { return held_; }
    [[nodiscard]] GpuWatch& gpus() { return gpus_; }

    /// As a worker that nobody has known.
    void register_anew();
    /// These GPUs have computed a right answer: it is ready.
    void set_ready(const std::vector<std::string>& gpus);
    void set_not_ready(const std::string& why);
    /// Waits for tasks, which are held from then on: `longest`, 20 s at most, or until `unwanted`
    /// is true.
    [[nodiscard]] v1::ClaimResponse claim(
        const std::string& held_compat_key, const std::function<bool()>& unwanted = {},
        std::chrono::duration<double> longest = std::chrono::seconds(20));
    /// A refused or lost call is borne by asking again later; thrown when there was no server for
    /// too long, or none that takes the token.
    void bear(const Error& error);
    /// Gives back what is held, and deregisters: a worker that ended in order is not a lost one.
    /// `time_limit` > 0: it leaves at the end of its time, most of which it spent on what it holds.
    void leave(std::chrono::duration<double> time_limit = {});

private:
    using Clock = std::chrono::steady_clock;

    v1::RegisterResponse send_registration(const std::vector<std::string>& gpus);
    v1::ClaimResponse claim_patiently(v1::ClaimRequest request,
                                      const std::function<bool()>& unwanted);
    /// Asks for the inputs that the answer to this claim leaves out. Throws Aborted when the server
    /// answers otherwise.
    void add_inputs(v1::ClaimRequest& request, v1::ClaimResponse& reply);
    void heartbeats();
    /// Has the thread of heartbeats look at what is due.
    void wake();
    void beat();
    /// A call was taken.
    void contact() { last_contact_ = last_answer_ = Clock::now().time_since_epoch().count(); }
    /// A call was refused by a server that knows the token.
    void answer() { last_answer_ = Clock::now().time_since_epoch().count(); }
    [[nodiscard]] static std::chrono::duration<double> since(const std::atomic<Clock::rep>& when);

    LeaseOptions options_;
    WorkersClient& client_;
    Log log_;
    LogThrottle trouble_{log_};
    HeldTasks held_;
    GpuWatch gpus_;
    mutable std::mutex mutex_;
    std::string worker_id_, not_ready_, cordoned_;
    std::atomic<bool> registered_ = false, draining_ = false, done_ = false;
    std::atomic<Clock::rep> last_contact_ = 0, last_answer_ = 0;
    std::atomic<double> heartbeat_s_ = 5, lease_s_ = 30;
    std::mutex waking_;
    std::condition_variable woken_;
    bool wake_ = false;  ///< a heartbeat may be due, or the end
    std::thread heartbeat_thread_;
};

}  // namespace kaname::agent
