// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/linalg/pcg.hpp"
#include "tests/unit/solvers/linalg/dense_operator.hpp"

namespace kaname::linalg::inner_cg_test {
namespace {

using lanes::kLanes;

constexpr int kUnknowns = 60;
constexpr std::size_t kSize = std::size_t(kUnknowns) * kLanes;

class Inner : public testing::Test {
protected:
    Inner() {
        for (int i = 0; i < kUnknowns; ++i) {
            inverse_diagonal[std::size_t(i / 3) * 9 + (i % 3) * 4] =
                static_cast<float>(1.0 / matrix[i * kUnknowns + i]);
        }
        const auto values = random_numbers(kSize, 7);
        std::copy(values.begin(), values.end(), r.data());
    }
    int solve(InnerCgParams params) {
        InnerCg cg(K, 3, inverse_diagonal, {}, params, queue);
        return cg.solve(r, x, comm, queue);
    }
    double residual(int lane) {
        device::Buffer<float> Kx(kSize);
        K.apply(x, Kx, queue);
        double ee = 0.0;
        double rr = 0.0;
        for (std::size_t i = lane; i < kSize; i += kLanes) {
            ee += std::pow(r[i] - Kx[i], 2);
            rr += std::pow(r[i], 2);
        }
        return std::sqrt(ee / rr);
    }
    std::vector<double> matrix = laplacian(kUnknowns / 3, 3);
    DenseOperator<float> K{matrix, kUnknowns};
    device::Buffer<float> inverse_diagonal{kUnknowns * 3};
    device::Buffer<float> r{kSize};
    device::Buffer<float> x{kSize};
    comm::SerialComm comm;
    device::Queue queue;
};

TEST_F(Inner, StopsWhenTheWorstLaneIsSmallEnough) {
    const int iterations = solve({0.1, 100});

    EXPECT_GT(iterations, 1);
    EXPECT_LT(iterations, 100);
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_LE(residual(lane), 0.1 + 1e-5);
    }
}

TEST_F(Inner, StopsWhenTheLeadingLaneIsSmallEnough) {
    // The others start nearer, and would stop earlier.
    (void)solve({1e-3, 100});
    int worst = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::vector<float> start(x.data(), x.data() + kSize);
        for (std::size_t i = lane; i < kSize; i += kLanes) {
            x[i] = 0.0F;
        }
        const std::vector<float> far_in_one(x.data(), x.data() + kSize);
        EXPECT_EQ(solve({0.1, 100, (lane + 1) % kLanes}), 0);
        std::copy(far_in_one.begin(), far_in_one.end(), x.data());
        const int led = solve({0.1, 100, lane});
        EXPECT_GT(led, 0);
        EXPECT_LE(residual(lane), 0.1 + 1e-5);
        worst = std::max(worst, led);
        std::copy(start.begin(), start.end(), x.data());
    }
    std::fill_n(x.data(), kSize, 0.0F);
    EXPECT_EQ(solve({0.1, 100}), worst);  // lanes do not mix
}

TEST_F(Inner, StopsAtTheCap) {
    EXPECT_EQ(solve({1e-30, 3}), 3);
}

TEST_F(Inner, AStartThatIsGoodEnoughIsKept) {
    (void)solve({0.05, 100});
    const std::vector<float> before(x.data(), x.data() + kSize);

    EXPECT_EQ(solve({0.1, 100}), 0);

    EXPECT_TRUE(std::equal(before.begin(), before.end(), x.data()));
}

TEST_F(Inner, ZeroAndNanLanesComeOutZeroAndDoNotCount) {
    for (std::size_t i = 0; i < kSize; i += kLanes) {
        r[i + 1] = 0.0F;
        r[i + 2] = std::numeric_limits<float>::quiet_NaN();
        x[i + 1] = x[i + 2] = 5.0F;
    }

    (void)solve({0.1, 100});

    EXPECT_LE(residual(0), 0.1 + 1e-5);
    EXPECT_LE(residual(3), 0.1 + 1e-5);
    for (std::size_t i = 0; i < kSize; i += kLanes) {
        ASSERT_EQ(x[i + 1], 0.0F);
    }
}

}  // namespace
}  // namespace kaname::linalg::inner_cg_test
