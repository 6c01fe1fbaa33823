// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/device_choice.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/runtime.hpp"

namespace kaname::jobs {
namespace {

GreensJob job_on(const std::string& device) {
    GreensJob job;
    job.placement.device = device;
    return job;
}

std::string refusal(const GreensJob& job) {
    try {
        (void)choose_queue(job);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(DeviceChoice, CpuIsAlwaysThere) {
    const GreensJob job = job_on("cpu");
    const device::Queue queue = choose_queue(job);
    EXPECT_EQ(queue.backend(), device::Backend::Cpu);
    EXPECT_EQ(device_text(job, queue), "cpu");
}

TEST(DeviceChoice, AutoTakesAGpuOnlyWhereThereIsOne) {
    const bool gpu = device::cuda::device_count() > 0;
    EXPECT_EQ(choose_queue(job_on("auto")).backend(),
              gpu ? device::Backend::Cuda : device::Backend::Cpu);
}

TEST(DeviceChoice, CudaSaysWhyNot) {
    if (device::cuda::device_count() == 0) {
        EXPECT_EQ(refusal(job_on("cuda")), "device cuda: " + device::cuda::unavailable_reason() +
                                               "; use device cpu or auto");
    }
    EXPECT_EQ(refusal(job_on("gpu")), "device must be auto, cpu or cuda, got 'gpu'");
}

TEST(DeviceChoice, RanksShareTheGpusInTurn) {
    EXPECT_EQ(gpu_of_rank(0, 4), 0);
    EXPECT_EQ(gpu_of_rank(3, 4), 3);
    EXPECT_EQ(gpu_of_rank(5, 4), 1);
    EXPECT_EQ(gpu_of_rank(2, 1), 0);
}

}  // namespace
}  // namespace kaname::jobs
