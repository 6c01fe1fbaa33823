// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "proto/kaname/v1/admin_service.pb.h"
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

/// Keeps the reports of workers about their GPUs within the last hour, a sample in 15 s. They are
/// in memory: a sample is 16 bytes, a GPU has 240. With more than kMostGpus, the GPUs reported
/// longest ago are dropped.
class GpuHistory {
public:
    using Clock = std::chrono::system_clock;
    using Now = std::function<Clock::time_point()>;
    static constexpr int kEvery_s = 15, kSamples = 240;
    static constexpr std::size_t kMostGpus = 4096;

    explicit GpuHistory(Now now = Clock::now) : now_(std::move(now)) {}

    void note(const std::string& worker_id,
              const google::protobuf::RepeatedPtrField<v1::GpuStatus>& gpus);
    /// By UUID, at most `limit` behind `after`; with `only` that GPU alone. Faults, cordons, drains
    /// and hosts are not known here.
    [[nodiscard]] std::vector<v1::GpuHistory> list(const std::string& only,
                                                   const std::string& after,
                                                   std::size_t limit) const;

private:
    struct Sample {
        float utilisation = -1, memory = -1, power_w = -1, temperature_c = -1;
    };
    struct Gpu {
        v1::GpuStatus status;
        std::string worker_id;
        std::int64_t last = 0;  ///< step of the newest sample: Unix time / kEvery_s
        std::deque<Sample> samples;
    };
    [[nodiscard]] std::int64_t step_now() const;

    Now now_;
    mutable std::mutex mutex_;
    std::map<std::string, Gpu> gpus_;
};

}  // namespace kaname::service
