// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"

namespace kaname::service {

/// Keeps the last reports of workers about their GPUs. They are in memory only, as the progress is.
class GpuBoard {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    struct Entry {
        std::vector<v1::GpuStatus> gpus;
        std::string not_ready;
    };

    explicit GpuBoard(Now now = Clock::now) : now_(std::move(now)) {}

    /// Replaces what this worker said before.
    void set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat);
    /// Nothing when it has been silent for a minute.
    [[nodiscard]] Entry of(const std::string& worker_id) const;
    /// The GPUs of all workers that spoke within a minute, each UUID once, sorted.
    [[nodiscard]] std::vector<v1::GpuStatus> recent() const;

private:
    struct Told {
        Entry entry;
        Clock::time_point at;
    };
    [[nodiscard]] bool is_stale(const Told& told) const;

    Now now_;
    mutable std::mutex mutex_;
    std::map<std::string, Told> told_;
};

}  // namespace kaname::service
