// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs::decimate_test {
namespace {

/// A sine of some part of the old Nyquist frequency that begins and ends smoothly.
std::vector<float> burst(double part, int n) {
    std::vector<float> x;
    for (int k = 0; k < n; ++k) {
        const double envelope = std::exp(-std::pow((k - 0.5 * n) / (0.12 * n), 2));
        x.push_back(static_cast<float>(envelope * std::sin(M_PI * part * (k - 0.5 * n))));
    }
    return x;
}

TEST(Decimate, KeepsWhatTheLongerIntervalHolds) {
    const std::vector<float> x = burst(0.15, 2000);  // 0.75 of the new Nyquist frequency
    const std::vector<float> y = decimate(x, 5);
    ASSERT_EQ(y.size(), 400u);
    for (std::size_t k = 0; k < y.size(); ++k) {
        EXPECT_NEAR(y[k], x[5 * k], 1e-3) << k;
    }
}

TEST(Decimate, LeavesOutWhatWouldBeFoldedBack) {
    for (const float y : decimate(burst(0.25, 2000), 5)) {  // 1.25 of the new Nyquist frequency
        EXPECT_NEAR(y, 0.0f, 5e-4);
    }
}

TEST(Decimate, AStandingOffsetStays) {
    std::vector<float> x(1000, 1.0f);
    const std::vector<float> y = decimate(x, 4);
    EXPECT_NEAR(y[125], 1.0f, 1e-6);
    EXPECT_NEAR(y.back(), 1.0f, 1e-6);
}

TEST(Decimate, OneIsTheSeriesItselfAndLessIsRefused) {
    const std::vector<float> x = {1.0f, 2.0f, 3.0f};
    EXPECT_EQ(decimate(x, 1), x);
    EXPECT_THROW((void)decimate(x, 0), Error);
}

}  // namespace
}  // namespace kaname::jobs::decimate_test
