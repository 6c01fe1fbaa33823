// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/probe.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace kaname::device::probe_gpu_test {
namespace {

class ProbeGpu : public GpuTest {};

TEST_F(ProbeGpu, AGoodGpuGivesTheRightAnswer) {
    EXPECT_NO_THROW(probe(gpu));
}

TEST_F(ProbeGpu, SumsAgreeWithTheCpuAtAnOddSize) {
    constexpr std::int64_t kItems = 10007;
    std::array<double, 2> on_gpu{}, on_cpu{};
    Buffer<float> x32(kItems, gpu), y32(kItems);
    Buffer<double> x64(kItems, gpu), y64(kItems);

    probe_sums_cuda({kItems, x32, x64, &on_gpu}, gpu);
    probe_sums_cpu({kItems, y32, y64, &on_cpu});

    EXPECT_EQ(on_gpu, on_cpu);
}

}  // namespace
}  // namespace kaname::device::probe_gpu_test
