// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/kernels/real_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/parallel/pack.hpp"

namespace kaname::rupture::kernels::real_math_test {
namespace {

/// In units of the last place of what is right.
double ulps(double got, long double wanted) {
    const double size = std::abs(static_cast<double>(wanted));
    const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
    return static_cast<double>(std::abs(got - wanted) / unit);
}

TEST(RealMath, ExponentialIsRightToOneAndAHalfUlps) {
    double worst = 0.0;
    for (double x = -707.9; x < 708.9; x += 0.00731) {
        worst = std::max(worst, ulps(exponential(x), std::exp(static_cast<long double>(x))));
        const double y = 1e-3 * x;
        worst = std::max(worst, ulps(exponential(y), std::exp(static_cast<long double>(y))));
    }
    EXPECT_LT(worst, 1.5);
    EXPECT_EQ(exponential(0.0), 1.0);
}

TEST(RealMath, LogarithmIsRightToAnUlp) {
    double worst = 0.0;
    for (double x = -707.0; x < 709.0; x += 0.00917) {
        const double large = std::exp(x), near = std::exp(1e-4 * x);
        worst = std::max(worst, ulps(logarithm(large), std::log(static_cast<long double>(large))));
        worst = std::max(worst, ulps(logarithm(near), std::log(static_cast<long double>(near))));
    }
    EXPECT_LT(worst, 1.1);
    EXPECT_EQ(logarithm(1.0), 0.0);
}

TEST(RealMath, NothingFiniteGivesAnythingElse) {
    for (const double x : {-1e308, -800.0, -0.0, 5e-324, 800.0, 1e308}) {
        EXPECT_TRUE(std::isfinite(exponential(x))) << x;
        EXPECT_GT(exponential(x), 0.0) << x;
        EXPECT_TRUE(std::isfinite(logarithm(x))) << x;
    }
}

TEST(RealMath, MeanDecayKeepsItsDigitsWhereItIsNearlyOne) {
    double worst = 0.0;
    for (double x = 1e-18; x < 600.0; x *= 1.037) {
        const long double wanted = -std::expm1(-static_cast<long double>(x)) / x;
        worst = std::max(
            worst, static_cast<double>(std::abs(mean_decay(x, exponential(-x)) / wanted - 1.0L)));
    }
    EXPECT_LT(worst, 5e-15);
    EXPECT_EQ(mean_decay(0.0, 1.0), 1.0);
}

TEST(RealMath, PacksAreDoublesSideBySide) {
    Pack<double> x;
    for (int k = 0; k < kPack<double>; ++k) {
        x.set(k, -3.1 + 1.7 * k);
    }

    const Pack<double> e = exponential(x), l = logarithm(e), m = mean_decay(e, exponential(-e));

    for (int k = 0; k < kPack<double>; ++k) {
        // Products may be joined to sums in the one and not in the other.
        EXPECT_LT(ulps(e[k], exponential(x[k])), 2.1);
        EXPECT_LT(ulps(l[k], logarithm(e[k])), 2.1);
        EXPECT_NEAR(m[k], mean_decay(e[k], exponential(-e[k])), 1e-15);
    }
}

}  // namespace
}  // namespace kaname::rupture::kernels::real_math_test
