// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/data_driven.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "solvers/p2/predictors/predictor.hpp"
#include "tests/unit/solvers/p2/predictors/history.hpp"

namespace kaname::predictors::data_driven_test {
namespace {

constexpr int kNodes = 40;
constexpr int kModes = 3;

Subdomains two_halves() {
    Subdomains result;
    result.node.resize(kNodes);
    std::iota(result.node.begin(), result.node.end(), 0);
    result.ptr = {0, kNodes / 2, kNodes};
    return result;
}

class DataDrivenOnRelaxation : public testing::Test {
protected:
    DataDrivenOnRelaxation() { params.columns = 5; }
    void feed(Predictor& predictor, int n) {
        for (int step = 0; step < n; ++step) {
            predictor.push(relaxation.increment(step), {}, {}, queue);
        }
    }
    device::Buffer<double> predicted(Predictor& predictor) {
        device::Buffer<double> du(relaxation.size(), queue);
        du.fill(99.0);
        predictor.predict(du, {}, queue);
        return du;
    }
    Relaxation relaxation{kNodes, kModes};
    DataDrivenParams params;
    comm::Halo halo;
    device::Queue queue;
};

TEST_F(DataDrivenOnRelaxation, ContinuesAsManyModesAsItHasColumns) {
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    IncrementHistory cubic(Polynomial::Cubic, relaxation.size(), queue);
    feed(predictor, 8);
    feed(cubic, 8);
    const auto exact = relaxation.increment(8);

    const auto du = predicted(predictor);
    const auto plain = predicted(cubic);

    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        // History in FP32, and columns below 1e-4 of themselves are left out.
        EXPECT_LT(difference(du, exact, lane), 1e-5);
        EXPECT_GT(difference(plain, exact, lane), 1e-3);
    }
}

TEST_F(DataDrivenOnRelaxation, IsThePolynomialUntilThereIsEnoughHistory) {
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    IncrementHistory cubic(Polynomial::Cubic, relaxation.size(), queue);
    for (int n = 1; n <= 4; ++n) {
        predictor.push(relaxation.increment(n), {}, {}, queue);
        cubic.push(relaxation.increment(n), {}, {}, queue);
        EXPECT_LT(difference(predicted(predictor), predicted(cubic), 1), 1e-6) << n;
    }
}

TEST_F(DataDrivenOnRelaxation, AsPublishedItWaitsForAllColumns) {
    params.wait_for_all = true;
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    IncrementHistory ab2(Polynomial::Ab2, relaxation.size(), queue);
    // x needs three increments, and s + 1 of them make s pairs: s + 3.
    for (int n = 1; n <= params.columns + 3; ++n) {
        predictor.push(relaxation.increment(n), {}, {}, queue);
        ab2.push(relaxation.increment(n), {}, {}, queue);
        const bool same = difference(predicted(predictor), predicted(ab2), 0) < 1e-12;
        EXPECT_EQ(same, n < params.columns + 3) << n;
    }
}

TEST_F(DataDrivenOnRelaxation, SecondGuessIsTheCubic) {
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    IncrementHistory cubic(Polynomial::Cubic, relaxation.size(), queue);
    device::Buffer<double> plain(relaxation.size(), queue);
    EXPECT_FALSE(predictor.predict_plainly(plain, queue));
    feed(predictor, 9);
    feed(cubic, 9);

    ASSERT_TRUE(predictor.predict_plainly(plain, queue));

    EXPECT_LT(difference(plain, predicted(cubic), 2), 1e-6);
}

TEST_F(DataDrivenOnRelaxation, ZeroLaneForgetsThatLaneOnly) {
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    DataDriven whole(two_halves(), params, relaxation.size(), halo, queue);
    feed(predictor, 9);
    feed(whole, 9);
    predictor.zero_lane(2, queue);

    const auto du = predicted(predictor);
    const auto all = predicted(whole);

    for (std::size_t i = 0; i < du.size(); ++i) {
        ASSERT_EQ(du[i], i % lanes::kLanes == 2 ? 0.0 : all[i]) << i;
    }
}

TEST_F(DataDrivenOnRelaxation, ClearForgetsEverything) {
    DataDriven predictor(two_halves(), params, relaxation.size(), halo, queue);
    feed(predictor, 9);
    predictor.clear();

    const auto du = predicted(predictor);

    for (std::size_t i = 0; i < du.size(); ++i) {
        ASSERT_EQ(du[i], 0.0);
    }
}

}  // namespace
}  // namespace kaname::predictors::data_driven_test
