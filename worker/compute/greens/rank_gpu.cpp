// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/rank_gpu.hpp"

#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/probe.hpp"
#include "solvers/jobs/greens/device_choice.hpp"

namespace kaname::compute {

void probe_rank(const jobs::GreensJob& job, std::string& gpu) {
    device::Queue queue = jobs::choose_queue(job);
    if (queue.backend() == device::Backend::Cuda) {
        gpu = device::cuda::device_info(
                  jobs::gpu_of_rank(job.placement.local_rank, device::cuda::device_count()))
                  .uuid;
        device::probe(queue);
    }
}

}  // namespace kaname::compute
