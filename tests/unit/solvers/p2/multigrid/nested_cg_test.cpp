// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/nested_cg.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/support/nested_on_squares.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::multigrid::nested_cg_test {
namespace {

using lanes::kLanes;
using viscoelastic::Stiffness;

/// One use of the preconditioner on noise: how far each lane got and what it took.
class Nested : public testing::Test {
protected:
    Stiffness with(const NestedCgParams& nested) {
        viscoelastic::SolverParams params;
        params.method = viscoelastic::Method::Seed;
        params.nested = nested;
        return {fault.model, fault.model.step_moduli(0.0, 0.5), params, comm, queue};
    }
    /// ||r - K z|| / ||r|| of each lane.
    std::array<double, kLanes> apply(Stiffness& stiffness) {
        const std::size_t size = fault.model.vector_size();
        device::Buffer<float> r(size);
        for (std::size_t i = 0; i < size; ++i) {
            r[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i * i % 10007)));
        }
        for (const std::int32_t dof : fault.model.boundary().fixed()) {
            std::fill_n(r.data() + std::size_t(dof) * kLanes, kLanes, 0.0F);
        }
        device::Buffer<float> z(size);
        stiffness.preconditioner().apply(r, z, queue);
        device::Buffer<double> x(size);
        device::Buffer<double> Kx(size);
        std::copy(z.data(), z.data() + size, x.data());
        stiffness.K().apply(x, Kx, queue);
        std::array<double, kLanes> ee{};
        std::array<double, kLanes> rr{};
        for (std::size_t i = 0; i < size; ++i) {
            ee[i % kLanes] += std::pow(r[i] - Kx[i], 2);
            rr[i % kLanes] += std::pow(r[i], 2);
        }
        std::array<double, kLanes> result{};
        for (int lane = 0; lane < kLanes; ++lane) {
            result[lane] = std::sqrt(ee[lane] / rr[lane]);
        }
        return result;
    }
    comm::SerialComm comm;
    device::Queue queue;
    viscoelastic::FaultModel fault{comm};
};

TEST_F(Nested, OnSquaresTheSameNumbersAskForLess) {
    Stiffness norms = with({});
    Stiffness squares = with(test::nested_on_squares());
    const auto of_norms = apply(norms);
    const auto of_squares = apply(squares);

    const auto worst = [](const auto& lanes) { return *std::ranges::max_element(lanes); };
    EXPECT_LE(worst(of_norms), 0.5 + 1e-5);
    EXPECT_LE(std::pow(worst(of_squares), 2), 0.5 + 1e-5);
    EXPECT_GT(worst(of_squares), worst(of_norms));
    std::int64_t more = 0;
    for (int loop = 0; loop < 3; ++loop) {
        const auto asked = norms.preconditioner().inner_iterations()[loop];
        const auto taken = squares.preconditioner().inner_iterations()[loop];
        EXPECT_LE(taken, asked) << loop;
        more += asked - taken;
    }
    EXPECT_GT(more, 0);
}

TEST_F(Nested, TwoLevelsGoAsFarAsTheFirstLaneAsks) {
    Stiffness two = with(NestedCgParams::two_levels());
    EXPECT_EQ(two.description().find("cells"), std::string::npos) << two.description();

    const auto reached = apply(two);

    EXPECT_LE(reached[0], 0.2 + 1e-5);
    const auto iterations = two.preconditioner().inner_iterations();
    EXPECT_GT(iterations[0], 0);
    EXPECT_LE(iterations[0], 30);
    EXPECT_GT(iterations[1], 0);
    EXPECT_EQ(iterations[2], 0);
}

}  // namespace
}  // namespace kaname::multigrid::nested_cg_test
