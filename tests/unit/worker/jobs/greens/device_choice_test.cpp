// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/cuda/runtime.hpp"
#include "tests/support/bare_job.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs::device_choice_test {
namespace {

GreensJob job_on(DeviceChoice device) {
    GreensJob job = test::bare_job();
    job.placement.device = device;
    return job;
}

std::string refusal(const GreensJob& job) {
    try {
        (void)choose_queue(job.placement);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(DeviceChoice, CpuIsAlwaysThere) {
    const GreensJob job = job_on(DeviceChoice::Cpu);
    const device::Queue queue = choose_queue(job.placement);
    EXPECT_EQ(queue.backend(), device::Backend::Cpu);
    EXPECT_EQ(device_text(job.placement, queue), "cpu");
}

TEST(DeviceChoice, AutoTakesAGpuOnlyWhereThereIsOne) {
    const bool gpu = device::cuda::device_count() > 0;
    EXPECT_EQ(choose_queue(job_on(DeviceChoice::Auto).placement).backend(),
              gpu ? device::Backend::Cuda : device::Backend::Cpu);
}

TEST(DeviceChoice, CudaSaysWhyNot) {
    if (device::cuda::device_count() == 0) {
        EXPECT_EQ(
            refusal(job_on(DeviceChoice::Cuda)),
            "device cuda: " + device::cuda::unavailable_reason() + "; use device cpu or auto");
    }
}

TEST(DeviceChoice, RanksShareTheGpusInTurn) {
    EXPECT_EQ(gpu_of_rank(0, 4), 0);
    EXPECT_EQ(gpu_of_rank(3, 4), 3);
    EXPECT_EQ(gpu_of_rank(5, 4), 1);
    EXPECT_EQ(gpu_of_rank(2, 1), 0);
}

}  // namespace
}  // namespace kaname::jobs::device_choice_test
