// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "solvers/base/error.hpp"
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

}  // namespace kaname::agent
