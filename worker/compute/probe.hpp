// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

struct ProbedGpu {
    std::string uuid, name;
};

/// The GPUs that this process can see.
class Gpus {
public:
    virtual ~Gpus() = default;
    [[nodiscard]] virtual int count() = 0;
    /// Why there are none.
    [[nodiscard]] virtual std::string unavailable_reason() = 0;
    /// Lets one of them compute. Throws DeviceError when it cannot, naming it where it can.
    virtual ProbedGpu probe(int index) = 0;
};

class CudaGpus final : public Gpus {
public:
    [[nodiscard]] int count() override;
    [[nodiscard]] std::string unavailable_reason() override;
    ProbedGpu probe(int index) override;
};

/// The verb: probes each GPU that one of `ranks` ranks of this machine would take. Its result is a
/// ProbeReport. Throws Unavailable for device cuda without a GPU.
int probe(const std::string& device, int ranks, Gpus& gpus, Reporter& reporter);

}  // namespace kaname::compute
