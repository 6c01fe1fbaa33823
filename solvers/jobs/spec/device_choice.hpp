// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/device/queue.hpp"
#include "solvers/jobs/spec/solver_spec.hpp"

namespace kaname::jobs {

/// Index of the GPU that a rank of this machine takes: ranks share them in turn.
[[nodiscard]] int gpu_of_rank(int local_rank, int n_gpus);

/// The queue of a placement. auto takes a GPU where there is one. Throws Unavailable
/// for cuda where there is no GPU.
[[nodiscard]] device::Queue choose_queue(const Placement& placement);

/// "cpu" or "cuda: NVIDIA H200 (GPU-...)" of the queue that choose_queue gave.
[[nodiscard]] std::string device_text(const Placement& placement, const device::Queue& queue);

}  // namespace kaname::jobs
