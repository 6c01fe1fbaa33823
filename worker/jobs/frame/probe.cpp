// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/probe.hpp"

#include <algorithm>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/base/error.hpp"
#include "solvers/device/cuda/runtime.hpp"
#include "solvers/device/probe.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

int CudaGpus::count() {
    return device::cuda::device_count();
}

std::string CudaGpus::unavailable_reason() {
    return device::cuda::unavailable_reason();
}

ProbedGpu CudaGpus::probe(int index) {
    const device::cuda::DeviceInfo info = device::cuda::device_info(index);
    try {
        device::Queue queue(device::Backend::Cuda, index);
        device::probe(queue);
    } catch (const DeviceError& error) {
        throw DeviceError({error.fault().call, error.fault().error, info.uuid}, error.what());
    }
    return {info.uuid, info.name};
}

int probe(const std::string& device, int ranks, Gpus& gpus, Reporter& reporter) {
    const int n_gpus = device == "cpu" ? 0 : gpus.count();
    const std::string reason =
        n_gpus > 0 ? "" : (device == "cpu" ? "device is cpu" : gpus.unavailable_reason());
    if (device == "cuda" && n_gpus == 0) {
        throw Error(ErrorCode::Unavailable, "device cuda: " + reason);
    }
    v1::ProbeReport report;
    report.set_device(n_gpus > 0 ? "cuda" : "cpu");
    report.set_reason(reason);
    for (int index = 0; index < std::min(n_gpus, ranks); ++index) {
        const ProbedGpu gpu = gpus.probe(jobs::gpu_of_rank(index, n_gpus));
        v1::ProbeReport::Gpu& found = *report.add_gpus();
        found.set_uuid(gpu.uuid);
        found.set_name(gpu.name);
    }
    reporter.result("probe", report);
    return run::kExitOk;
}

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
