// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/blas1.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/device/threads.hpp"

namespace kaname::lanes::blas1_test {
namespace {

template <class T>
device::Buffer<T> random_vector(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    device::Buffer<T> x(size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = static_cast<T>(uniform(random));
    }
    return x;
}

constexpr int kItems = 4999;  // more than two chunks, the last one short
constexpr int kWidth = 3 * kLanes;

class Blas1 : public testing::Test {
protected:
    device::Queue queue;
};

TEST_F(Blas1, DotSumsEachLaneOnItsOwn) {
    const auto x = random_vector<double>(kItems * kWidth, 1);
    const auto y = random_vector<double>(kItems * kWidth, 2);
    long double expected[kLanes] = {};
    for (std::size_t i = 0; i < x.size(); ++i) {
        expected[i % kLanes] += static_cast<long double>(x[i]) * y[i];
    }

    const LaneScalars value = dot(x, y, kWidth, {}, queue);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(value[lane], static_cast<double>(expected[lane]), 1e-11);
    }
}

TEST_F(Blas1, DotSkipsItemsThatAreNotOwned) {
    const auto x = random_vector<double>(kItems * kWidth, 3);
    std::vector<std::uint8_t> owned(kItems, 1);
    long double expected[kLanes] = {};
    for (int item = 0; item < kItems; ++item) {
        owned[item] = item % 7 == 3 ? 0 : 1;
        for (int k = 0; k < kWidth && owned[item] != 0; ++k) {
            const double value = x[item * kWidth + k];
            expected[k % kLanes] += static_cast<long double>(value) * value;
        }
    }

    const LaneScalars value = dot(x, x, kWidth, owned, queue);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(value[lane], static_cast<double>(expected[lane]), 1e-10);
    }
}

TEST_F(Blas1, DotKeepsANanInItsLane) {
    auto x = random_vector<double>(kItems * kWidth, 4);
    const LaneScalars before = dot(x, x, kWidth, {}, queue);
    x[17 * kLanes + 2] = std::numeric_limits<double>::quiet_NaN();

    const LaneScalars value = dot(x, x, kWidth, {}, queue);

    EXPECT_TRUE(std::isnan(value[2]));
    for (const int lane : {0, 1, 3}) {
        EXPECT_EQ(value[lane], before[lane]);
    }
}

TEST_F(Blas1, DotRepeatsBitForBitForAnyNumberOfThreads) {
    const auto x = random_vector<double>(kItems * kWidth, 5);
    const auto y = random_vector<double>(kItems * kWidth, 6);
    const int threads = device::max_threads();

    device::set_threads(1);
    const LaneScalars one = dot(x, y, kWidth, {}, queue);
    device::set_threads(3);
    const LaneScalars three = dot(x, y, kWidth, {}, queue);
    device::set_threads(threads);

    EXPECT_EQ(one, three);
}

TEST_F(Blas1, AxpbyScalesEachLaneByItsNumbers) {
    const LaneScalars a = {1.0, -2.0, 0.0, 0.5};
    const LaneScalars b = {0.0, 1.0, 3.0, -1.0};
    const auto x = random_vector<double>(7 * kWidth, 7);
    auto y = random_vector<double>(7 * kWidth, 8);
    const auto old = random_vector<double>(7 * kWidth, 8);

    axpby(a, x, b, y, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], a[i % kLanes] * x[i] + b[i % kLanes] * old[i], 1e-15) << i;
    }
}

TEST_F(Blas1, AxpbyDoesNotReadLanesWithFactorZero) {
    const auto x = random_vector<double>(7 * kWidth, 7);
    device::Buffer<double> y(x.size());
    y.fill(std::numeric_limits<double>::quiet_NaN());

    axpby({1.0, 2.0, 0.0, 1.0}, x, {0.0, 0.0, 0.0, 1.0}, y, queue);

    for (std::size_t i = 0; i < y.size(); i += kLanes) {
        EXPECT_EQ(y[i], x[i]);
        EXPECT_EQ(y[i + 1], 2.0 * x[i + 1]);
        EXPECT_EQ(y[i + 2], 0.0);
        EXPECT_TRUE(std::isnan(y[i + 3]));
    }
}

TEST_F(Blas1, ScalesBetweenPrecisionsPerLane) {
    const LaneScalars a = {1.0, -2.0, 1e-3, 0.0};
    const auto x = random_vector<double>(5 * kWidth, 9);
    device::Buffer<float> narrow(x.size());
    device::Buffer<double> wide(x.size());

    scale_to_float(a, x, narrow, queue);
    scale_to_double(a, narrow, wide, queue);

    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(narrow[i], static_cast<float>(a[i % kLanes] * x[i])) << i;
        EXPECT_EQ(wide[i], a[i % kLanes] * static_cast<double>(narrow[i])) << i;
    }
}

TEST_F(Blas1, SubtractFromAndFillTouchEveryNumber) {
    const auto x = random_vector<float>(5 * kWidth, 10);
    auto y = random_vector<float>(5 * kWidth, 11);
    const auto old = random_vector<float>(5 * kWidth, 11);
    device::Buffer<double> filled(13 * kLanes);

    subtract_from(x, y, queue);
    fill<double>(2.5, filled, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(y[i], x[i] - old[i]) << i;
    }
    for (std::size_t i = 0; i < filled.size(); ++i) {
        EXPECT_EQ(filled[i], 2.5) << i;
    }
}

TEST_F(Blas1, ZeroDofsClearsAllLanesOfTheListedOnesOnly) {
    device::Buffer<float> x(5 * kWidth);
    x.fill(1.0F);
    const std::vector<std::int32_t> dofs = {0, 4, 14};

    zero_dofs<float>(dofs, x, queue);

    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t dof = i / kLanes;
        EXPECT_EQ(x[i], dof == 0 || dof == 4 || dof == 14 ? 0.0F : 1.0F) << i;
    }
}

TEST_F(Blas1, RefusesVectorsOfDifferentSizes) {
    device::Buffer<double> x(2 * kWidth);
    device::Buffer<double> y(3 * kWidth);
    device::Buffer<float> z(3 * kWidth);
    device::Buffer<float> w(2 * kWidth);

    EXPECT_THROW((void)dot(x, y, kWidth, {}, queue), Error);
    EXPECT_THROW(axpby({}, x, {}, y, queue), Error);
    EXPECT_THROW(scale_to_float({}, x, z, queue), Error);
    EXPECT_THROW(scale_to_double({}, z, x, queue), Error);
    EXPECT_THROW(subtract_from(w, z, queue), Error);
}

}  // namespace
}  // namespace kaname::lanes::blas1_test
