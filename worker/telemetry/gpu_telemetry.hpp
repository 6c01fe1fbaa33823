// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "worker/telemetry/gpu_reading.hpp"

namespace kaname::telemetry {

/// Where readings come from. Used by one thread at a time.
class GpuTelemetry {
public:
    virtual ~GpuTelemetry() = default;
    /// All GPUs of this machine, whatever CUDA_VISIBLE_DEVICES says; none without a driver.
    [[nodiscard]] virtual std::vector<GpuReading> read() = 0;
};

}  // namespace kaname::telemetry
