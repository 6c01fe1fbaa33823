// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/rank_gpu.hpp"

#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/probe.hpp"
#include "solvers/jobs/spec/device_choice.hpp"

namespace kaname::compute {

void probe_rank(const jobs::Placement& placement, std::string& gpu) {
    device::Queue queue = jobs::choose_queue(placement);
    if (queue.backend() == device::Backend::Cuda) {
        gpu = device::cuda::device_info(
                  jobs::gpu_of_rank(placement.local_rank, device::cuda::device_count()))
                  .uuid;
        device::probe(queue);
    }
}

}  // namespace kaname::compute
