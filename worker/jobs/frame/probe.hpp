// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/stage/solve_options.hpp"

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

/// Probes the GPU that this rank of a solve takes and puts its UUID in `gpu`; on the CPU there is
/// nothing to do. Throws DeviceError, and as jobs::choose_queue.
void probe_rank(const jobs::Placement& placement, std::string& gpu);

}  // namespace kaname::compute
