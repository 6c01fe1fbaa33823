// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/observer.hpp"

#include <gtest/gtest.h>

#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::observer_test {
namespace {

using lanes::kLanes;
constexpr int kWidth = 3 * kLanes;

class ObserverOnRanks : public testing::TestWithParam<int> {};

TEST_P(ObserverOnRanks, ReadsQuadraticDisplacementsExactly) {
    const auto quadratic = [](const Vec3& x, int k) {
        const Vec3 y = 1e-3 * x;
        return k + y.x * y.y - (1.0 + k) * y.z * y.z + y.x - 2.0 * y.y * y.z;
    };
    const std::vector<Vec3> points = {
        {1.234e3, 5.43e3, -0.77e3}, {3e3, 3e3, 0.0}, {0.1e3, 0.2e3, -3.9e3}};
    comm::run_as_threads(GetParam(), [&](comm::Comm& comm) {
        const FaultModel fault(comm);
        device::Queue queue;
        Observer observer(fault.model, p2::locate_points(fault.mesh, points), queue);
        device::Buffer<double> u(fault.model.vector_size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = quadratic(fault.model.mesh().node_xyz[i / kWidth], static_cast<int>(i % kWidth));
        }

        const auto values = observer.observe(u, {}, comm, queue);

        ASSERT_EQ(values.size(), 3u * kWidth);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_NEAR(values[i], quadratic(points[i / kWidth], static_cast<int>(i % kWidth)),
                        1e-10);
        }
    });
}

TEST_P(ObserverOnRanks, PointsNextToTheFaultSeeHalfTheSlipOfTheirSide) {
    const std::vector<Vec3> points = {{3.1e3, 2.8e3, -1.9999e3}, {3.1e3, 2.8e3, -2.0001e3}};
    comm::run_as_threads(GetParam(), [&](comm::Comm& comm) {
        const FaultModel fault(comm);
        device::Queue queue;
        Observer observer(fault.model, p2::locate_points(fault.mesh, points), queue);
        const device::Buffer<double> u(fault.model.vector_size());

        const auto values =
            observer.observe(u, fault.offsets(fault.unit_slip({0, 3})), comm, queue);

        for (const int lane : {0, 3}) {
            EXPECT_NEAR(values[lane], 0.5, 1e-3);
            EXPECT_NEAR(values[kWidth + lane], -0.5, 1e-3);
        }
        for (const int lane : {1, 2}) {
            EXPECT_EQ(values[lane], 0.0);
        }
        EXPECT_EQ(values[kLanes], 0.0);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ObserverOnRanks, testing::Values(1, 3));

}  // namespace
}  // namespace kaname::viscoelastic::observer_test
