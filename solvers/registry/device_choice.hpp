// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/device/queue.hpp"
#include "solvers/registry/greens_job.hpp"

namespace kaname::registry {

/// Why a job cannot run on a GPU, naming its field; empty when it can.
[[nodiscard]] std::string cpu_only_reason(const GreensJob& job);

/// Index of the GPU that a rank of this machine takes: ranks share them in turn.
[[nodiscard]] int gpu_of_rank(int local_rank, int n_gpus);

/// The queue of the job's placement. auto takes a GPU where there is one and the job can run on it.
/// Throws InvalidArgument for an unknown device or for cuda with a job that cannot, Unavailable for
/// cuda where there is no GPU.
[[nodiscard]] device::Queue choose_queue(const GreensJob& job);

/// "cpu" or "cuda: NVIDIA H200 (GPU-...)" of the queue that choose_queue gave.
[[nodiscard]] std::string device_text(const GreensJob& job, const device::Queue& queue);

}  // namespace kaname::registry
