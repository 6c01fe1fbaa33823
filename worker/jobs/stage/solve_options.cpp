// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/stage/solve_options.hpp"

#include <algorithm>

#include "solvers/device/cuda/runtime.hpp"

namespace kaname::jobs {

using device::Backend;

int gpu_of_rank(int local_rank, int n_gpus) {
    return local_rank % n_gpus;
}

device::Queue choose_queue(const Placement& placement) {
    const DeviceChoice wanted = placement.device;
    const int n_gpus = wanted == DeviceChoice::Cpu ? 0 : device::cuda::device_count();
    if (wanted == DeviceChoice::Cuda) {
        return device::Queue(Backend::Cuda,
                             n_gpus > 0 ? gpu_of_rank(placement.local_rank, n_gpus) : 0);
    }
    return n_gpus > 0 ? device::Queue(Backend::Cuda, gpu_of_rank(placement.local_rank, n_gpus))
                      : device::Queue(Backend::Cpu);
}

std::string device_text(const Placement& placement, const device::Queue& queue) {
    if (queue.backend() == Backend::Cpu) {
        return text_of(DeviceChoice::Cpu);
    }
    const device::cuda::DeviceInfo info =
        device::cuda::device_info(gpu_of_rank(placement.local_rank, device::cuda::device_count()));
    return text_of(DeviceChoice::Cuda) + ": " + info.name + " (" + info.uuid + ")";
}

namespace {

double seconds(CheckpointClock::Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string checkpoint_path(const std::string& work_dir) {
    return work_dir + "/checkpoint.h5";
}

bool CheckpointClock::due(Clock::time_point now) const {
    const double interval_s = interval_s_.value_or(std::max(kShortest_s, kWriteTimes * write_s_));
    return seconds(now - last_) >= interval_s;
}

void CheckpointClock::wrote(Clock::time_point begin, Clock::time_point end) {
    write_s_ = seconds(end - begin);
    last_ = end;
}

}  // namespace kaname::jobs
