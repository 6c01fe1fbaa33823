// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/kernels/lane_steps_body.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::lane_steps_test {
namespace {

using lanes::kLanes;

constexpr std::size_t kNumbers = 41;

class LaneSteps : public testing::Test {
protected:
    static device::Buffer<double> vector() { return random_vector<double>(kNumbers * kLanes, 3); }
    device::Queue queue;
};

TEST_F(LaneSteps, SpreadTheFirstAndTakeIt) {
    const auto before = vector();
    auto cpu = vector();
    auto gpu = vector();
    spread_first_lane(cpu, queue);
    device::Buffer<double> first_cpu(kNumbers);
    device::Buffer<double> first_gpu(kNumbers);
    take_first_lane(before, first_cpu, queue);
    lanes::run_threads(kNumbers, body::SpreadFirstLane<>{gpu.data()});
    lanes::run_threads(kNumbers, body::TakeFirstLane<>{before.data(), first_gpu.data()});

    for (std::size_t i = 0; i < cpu.size(); ++i) {
        EXPECT_EQ(cpu[i], before[i / kLanes * kLanes]);
        EXPECT_EQ(gpu[i], cpu[i]);
        EXPECT_EQ(first_cpu[i / kLanes], before[i / kLanes * kLanes]);
        EXPECT_EQ(first_gpu[i / kLanes], first_cpu[i / kLanes]);
    }
    EXPECT_THROW(take_first_lane(before, first_cpu.view().first(3), queue), Error);
}

TEST_F(LaneSteps, ShiftMovesLanesAndStartsTheNewest) {
    std::vector<device::Buffer<double>> increments;
    LaneShift shift;
    for (int k = 0; k < LaneShift::kTerms; ++k) {
        increments.push_back(random_vector<double>(kNumbers, 10 + k));
        shift.increment[k] = increments[k].data();
        shift.weight[k] = 0.3 * k - 1.0;
    }
    for (const NewestLane newest : {NewestLane::Zero, NewestLane::Ab2, NewestLane::Line}) {
        shift.newest = newest;
        const auto before = vector();
        auto cpu = vector();
        auto gpu = vector();
        shift_lanes(shift, cpu, queue);
        lanes::run_threads(kNumbers, body::ShiftLanes<>{shift, gpu.data()});

        for (std::size_t i = 0; i < kNumbers; ++i) {
            const double* was = before.data() + i * kLanes;
            const double* is = cpu.data() + i * kLanes;
            for (int lane = 0; lane + 1 < kLanes; ++lane) {
                EXPECT_EQ(is[lane], was[lane + 1]);
                EXPECT_EQ(gpu[i * kLanes + lane], is[lane]);
            }
            double expected = newest == NewestLane::Ab2 ? 2.0 * was[3] - was[2] : 0.0;
            for (int k = 0; newest == NewestLane::Line && k < LaneShift::kTerms; ++k) {
                expected += shift.weight[k] * increments[k][i];
            }
            EXPECT_NEAR(is[kLanes - 1], expected, 1e-15);
            EXPECT_NEAR(gpu[i * kLanes + kLanes - 1], expected, 1e-15);
        }
    }
    shift.increment[6] = nullptr;
    auto x = vector();
    EXPECT_THROW(shift_lanes(shift, x, queue), Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::lane_steps_test
