// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/pcg.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/unit/solvers/linalg/dense_operator.hpp"

namespace kaname::linalg::pcg_test {
namespace {

using lanes::kLanes;

constexpr int kItems = 13;
constexpr int kUnknowns = 3 * kItems;
constexpr std::size_t kSize = std::size_t(kUnknowns) * kLanes;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

device::Buffer<double> buffer(const std::vector<double>& values) {
    device::Buffer<double> x(values.size());
    std::copy(values.begin(), values.end(), x.data());
    return x;
}

class Cg : public testing::Test {
protected:
    explicit Cg(std::vector<double> A = random_spd(kUnknowns, 5))
        : K(A, kUnknowns), M(diagonal(A)), matrix(std::move(A)) {}

    static std::vector<double> diagonal(const std::vector<double>& A) {
        std::vector<double> D(kUnknowns);
        for (int i = 0; i < kUnknowns; ++i) {
            D[i] = A[i * kUnknowns + i];
        }
        return D;
    }
    std::array<LaneResult, kLanes> solve(const device::Buffer<double>& b,
                                         device::Buffer<double>& x) {
        return pcg({K, M, b, x, 3 * kLanes, {}}, params, work, comm, queue);
    }
    /// ||b - A x|| / ||b|| of a lane.
    double residual(const device::Buffer<double>& b, const device::Buffer<double>& x, int lane) {
        double rr = 0.0;
        double bb = 0.0;
        for (int i = 0; i < kUnknowns; ++i) {
            double r = b[i * kLanes + lane];
            bb += r * r;
            for (int j = 0; j < kUnknowns; ++j) {
                r -= matrix[i * kUnknowns + j] * x[j * kLanes + lane];
            }
            rr += r * r;
        }
        return std::sqrt(rr / bb);
    }

    DenseOperator<double> K;
    Jacobi M;
    std::vector<double> matrix;
    PcgParams params{1e-10, 400};
    device::Queue queue;
    PcgWorkspace work{kSize, queue};
    comm::SerialComm comm;
};

TEST_F(Cg, SolvesSpdSystemWithinTolerance) {
    const auto b = buffer(random_numbers(kSize, 1));
    device::Buffer<double> x(kSize);

    const auto lanes = solve(b, x);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(lanes[lane].status, LaneStatus::Converged);
        EXPECT_LE(lanes[lane].residual, 1e-10);
        EXPECT_LT(residual(b, x, lane), 2e-10);
        EXPECT_EQ(lanes[lane].history.size(), static_cast<std::size_t>(lanes[lane].iterations));
        EXPECT_EQ(lanes[lane].history.back(), lanes[lane].residual);
        EXPECT_EQ(lanes[lane].initial_residual, 1.0);
    }
}

TEST_F(Cg, StartsFromTheGivenGuess) {
    const auto b = buffer(random_numbers(kSize, 2));
    device::Buffer<double> x(kSize);
    (void)solve(b, x);
    for (std::size_t i = 0; i < kSize; ++i) {
        x[i] *= 1.0 + 1e-4;
    }

    const auto lanes = solve(b, x);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(lanes[lane].initial_residual, 1e-4, 1e-7);
        EXPECT_LT(residual(b, x, lane), 2e-10);
    }
}

TEST_F(Cg, ZeroRightHandSideIsAnsweredByZeroAtOnce) {
    auto b = buffer(random_numbers(kSize, 3));
    auto x = buffer(random_numbers(kSize, 4));
    for (int i = 0; i < kUnknowns; ++i) {
        b[i * kLanes + 1] = 0.0;
    }

    const auto lanes = solve(b, x);

    EXPECT_EQ(lanes[1].status, LaneStatus::ZeroRightHandSide);
    EXPECT_TRUE(lanes[1].ok());
    EXPECT_EQ(lanes[1].iterations, 0);
    for (int i = 0; i < kUnknowns; ++i) {
        EXPECT_EQ(x[i * kLanes + 1], 0.0);
    }
    EXPECT_LT(residual(b, x, 0), 2e-10);
}

TEST_F(Cg, ZeroRightHandSideIsAnsweredByZeroFromANanStart) {
    device::Buffer<double> b(kSize);
    device::Buffer<double> x(kSize);
    x[5 * kLanes] = kNan;

    const auto lanes = solve(b, x);

    EXPECT_EQ(lanes[0].status, LaneStatus::ZeroRightHandSide);
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_EQ(x[i], 0.0) << i;
    }
}

TEST_F(Cg, NanLaneFailsAloneAndItsMatesAreTheSameBitForBit) {
    auto b = buffer(random_numbers(kSize, 6));
    device::Buffer<double> without(kSize);
    const auto expected = solve(b, without);
    b[7 * kLanes + 2] = kNan;
    device::Buffer<double> x(kSize);

    const auto lanes = solve(b, x);

    EXPECT_EQ(lanes[2].status, LaneStatus::NotFinite);
    EXPECT_FALSE(lanes[2].ok());
    for (const int lane : {0, 1, 3}) {
        EXPECT_EQ(lanes[lane].status, LaneStatus::Converged);
        EXPECT_EQ(lanes[lane].history, expected[lane].history);
        for (int i = 0; i < kUnknowns; ++i) {
            EXPECT_EQ(x[i * kLanes + lane], without[i * kLanes + lane]);
        }
    }
}

TEST_F(Cg, WorkspaceOfAFailedLaneServesTheNextSolve) {
    auto b = buffer(random_numbers(kSize, 6));
    auto bad = buffer(random_numbers(kSize, 6));
    bad[kLanes] = kNan;
    device::Buffer<double> x(kSize);
    (void)solve(bad, x);
    x.fill(0.0);

    const auto lanes = solve(b, x);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(lanes[lane].status, LaneStatus::Converged);
        EXPECT_LT(residual(b, x, lane), 2e-10);
    }
}

TEST_F(Cg, NanInTheStartFailsItsLaneOnly) {
    const auto b = buffer(random_numbers(kSize, 8));
    device::Buffer<double> x(kSize);
    x[3] = kNan;

    const auto lanes = solve(b, x);

    EXPECT_EQ(lanes[3].status, LaneStatus::NotFinite);
    EXPECT_EQ(lanes[0].status, LaneStatus::Converged);
    EXPECT_LT(residual(b, x, 0), 2e-10);
}

TEST_F(Cg, ConvergedStartTakesNoIteration) {
    const auto b = buffer(random_numbers(kSize, 9));
    device::Buffer<double> x(kSize);
    params.tolerance = 1e-12;
    (void)solve(b, x);
    params.tolerance = 1e-9;
    const auto solution = std::vector<double>(x.data(), x.data() + kSize);

    const auto lanes = solve(b, x);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(lanes[lane].status, LaneStatus::Converged);
        EXPECT_EQ(lanes[lane].iterations, 0);
        EXPECT_TRUE(lanes[lane].history.empty());
        EXPECT_EQ(lanes[lane].residual, lanes[lane].initial_residual);
    }
    EXPECT_EQ(std::vector<double>(x.data(), x.data() + kSize), solution);
}

TEST_F(Cg, IterationLimitIsReportedWithTheHistory) {
    const auto b = buffer(random_numbers(kSize, 10));
    device::Buffer<double> x(kSize);
    params.max_iterations = 4;

    const auto lanes = solve(b, x);

    for (const LaneResult& lane : lanes) {
        EXPECT_EQ(lane.status, LaneStatus::MaxIterations);
        EXPECT_FALSE(lane.ok());
        EXPECT_EQ(lane.iterations, 4);
        EXPECT_EQ(lane.history.size(), 4u);
        EXPECT_GT(lane.residual, params.tolerance);
    }
}

TEST_F(Cg, SharedItemsCountOnce) {
    // Items 0 and 1 hold the same unknowns; only item 0 is owned. The operator is the identity, so
    // that ||b|| of the owned items is what the residual is relative to.
    std::vector<double> identity(std::size_t(kUnknowns) * kUnknowns, 0.0);
    for (int i = 0; i < kUnknowns; ++i) {
        identity[i * kUnknowns + i] = 1.0;
    }
    DenseOperator<double> I(identity, kUnknowns);
    Jacobi one(std::vector<double>(kUnknowns, 1.0));
    auto b = buffer(std::vector<double>(kSize, 0.0));
    b[0] = b[3 * kLanes] = 3.0;
    device::Buffer<double> x(kSize);
    x[0] = x[3 * kLanes] = 1.5;
    std::vector<std::uint8_t> owned(kItems, 1);
    owned[1] = 0;
    x[6 * kLanes] = 3.0;  // an error that weighs 3 against ||b|| = 3 or 3 sqrt 2

    const auto lanes = pcg({I, one, b, x, 3 * kLanes, owned}, params, work, comm, queue);

    EXPECT_NEAR(lanes[0].initial_residual, std::sqrt(1.5 * 1.5 + 9.0) / 3.0, 1e-14);
}

TEST_F(Cg, ZeroRightHandSideHasNoResidual) {
    auto b = buffer(random_numbers(kSize, 3));
    auto x = buffer(random_numbers(kSize, 4));
    for (int i = 0; i < kUnknowns; ++i) {
        b[i * kLanes + 1] = 0.0;
    }

    (void)solve(b, x);

    for (int i = 0; i < kUnknowns; ++i) {
        EXPECT_EQ(work.r[i * kLanes + 1], 0.0);
    }
}

class CgIndefinite : public Cg {
protected:
    static std::vector<double> indefinite() {
        std::vector<double> A = laplacian(kItems, 3);
        for (int i = 0; i < kUnknowns; ++i) {
            A[i * kUnknowns + i] -= 1.0;
        }
        return A;
    }
    CgIndefinite() : Cg(indefinite()) {}
};

TEST_F(CgIndefinite, OperatorIsReported) {
    const auto b = buffer(random_numbers(kSize, 12));
    device::Buffer<double> x(kSize);

    const auto lanes = solve(b, x);

    for (const LaneResult& lane : lanes) {
        EXPECT_EQ(lane.status, LaneStatus::Indefinite) << to_string(lane.status);
    }
}

TEST_F(Cg, IndefinitePreconditionerIsReported) {
    Jacobi negative(std::vector<double>(kUnknowns, -1.0));
    const auto b = buffer(random_numbers(kSize, 13));
    device::Buffer<double> x(kSize);

    const auto lanes = pcg({K, negative, b, x, 3 * kLanes, {}}, params, work, comm, queue);

    for (const LaneResult& lane : lanes) {
        EXPECT_EQ(lane.status, LaneStatus::Indefinite);
        EXPECT_EQ(lane.iterations, 0);
    }
}

TEST_F(Cg, VeryLargeAndSmallRightHandSidesConvergeAlike) {
    // The preconditioner sees residuals of norm one, so FP32 neither overflows nor underflows.
    const auto values = random_numbers(kSize, 14);
    auto b = buffer(values);
    for (int i = 0; i < kUnknowns; ++i) {
        b[i * kLanes + 1] = 1e60 * b[i * kLanes];
        b[i * kLanes + 2] = 1e-60 * b[i * kLanes];
    }
    device::Buffer<double> x(kSize);

    const auto lanes = solve(b, x);

    EXPECT_EQ(lanes[1].status, LaneStatus::Converged);
    EXPECT_EQ(lanes[2].status, LaneStatus::Converged);
    EXPECT_NEAR(lanes[1].iterations, lanes[0].iterations, 2);
    EXPECT_NEAR(lanes[2].iterations, lanes[0].iterations, 2);
}

}  // namespace
}  // namespace kaname::linalg::pcg_test
