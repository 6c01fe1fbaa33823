// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "worker/telemetry/gpu_telemetry.hpp"

namespace kaname::telemetry {

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
