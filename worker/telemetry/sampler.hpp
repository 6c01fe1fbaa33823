// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kaname::telemetry {

/// Memory rows that the GPU replaced by spare ones.
struct RemappedRows {
    std::uint32_t corrected = 0, uncorrected = 0;  ///< by the kind of error that led to it
    bool pending = false;  ///< more are replaced at the next reset of the GPU
    bool failed = false;   ///< no spare row was left
};

/// GpuReading holds what one GPU reports about itself, in base units. Values that it does not
/// support, or for which its driver is too old, are absent.
struct GpuReading {
    std::string uuid, name;
    std::optional<double> utilisation;  ///< 0..1: time with a kernel running, over the last second
    std::optional<std::uint64_t> memory_used_bytes, memory_total_bytes;
    std::optional<double> power_w, temperature_c;
    std::optional<double> energy_j;                               ///< since the driver was loaded
    std::optional<std::uint64_t> ecc_corrected, ecc_uncorrected;  ///< since the driver was loaded
    std::optional<RemappedRows> remapped_rows;
    std::optional<std::uint64_t> xid_errors;  ///< seen since this process watches
    std::vector<std::uint32_t> new_xids;      ///< XIDs since the reading before
};

/// Where readings come from. Used by one thread at a time.
class GpuTelemetry {
public:
    virtual ~GpuTelemetry() = default;
    /// All GPUs of this machine, whatever CUDA_VISIBLE_DEVICES says; none without a driver.
    [[nodiscard]] virtual std::vector<GpuReading> read() = 0;
};

/// Reads in a thread of its own: a driver that hangs over a dying GPU must not keep heartbeats
/// from being sent, nor the program from ending.
class Sampler {
public:
    explicit Sampler(std::unique_ptr<GpuTelemetry> telemetry,
                     std::chrono::milliseconds every = std::chrono::seconds(1));
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// The newest readings, their new_xids those since the last call. None while the driver has
    /// been silent for half a minute.
    [[nodiscard]] std::vector<GpuReading> take();

private:
    struct State;
    std::shared_ptr<State> state_;
    std::thread thread_;
};

}  // namespace kaname::telemetry
