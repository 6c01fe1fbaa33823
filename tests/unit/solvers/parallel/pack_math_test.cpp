// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "solvers/parallel/pack.hpp"

namespace kaname::pack_math_test {
namespace {

Pack<double> counted(double first, double step) {
    Pack<double> pack;
    for (int k = 0; k < kPack<double>; ++k) {
        pack.set(k, first + step * k);
    }
    return pack;
}

TEST(PackMath, LanesAreChosenOneByOne) {
    const Pack<double> rising = counted(0.0, 1.0), falling = counted(2.5, -1.0);

    const PackMask less = rising < falling;
    const Pack<double> low = smaller(rising, falling), high = larger(rising, falling);
    const Pack<double> chosen = select(less, 10.0 + rising, falling);

    for (int k = 0; k < kPack<double>; ++k) {
        const double a = k, b = 2.5 - k;
        EXPECT_EQ(less[k], a < b);
        EXPECT_EQ((!less)[k], !(a < b));
        EXPECT_EQ(low[k], a < b ? a : b);
        EXPECT_EQ(high[k], a < b ? b : a);
        EXPECT_EQ(chosen[k], a < b ? 10.0 + a : b);
    }
    EXPECT_TRUE(any(less));
    EXPECT_TRUE(any(!less));
    EXPECT_FALSE(any(less & !less));
    EXPECT_TRUE(any(less | !less));
}

TEST(PackMath, OneLaneIsAny) {
    for (int k = 0; k < kPack<double>; ++k) {
        Pack<double> one{};
        one.set(k, 1.0);
        EXPECT_TRUE(any(Pack<double>{} < one)) << k;
    }
    EXPECT_FALSE(any(Pack<double>{} < Pack<double>{}));
}

TEST(PackMath, QuotientsRootsAndSignsAreThoseOfDouble) {
    const Pack<double> a = counted(0.3, 1.7), b = counted(7.0, -0.31);

    const Pack<double> root = square_root(a), quotient = a / b, minus = -a, rest = 1.0 - a;

    for (int k = 0; k < kPack<double>; ++k) {
        EXPECT_EQ(root[k], std::sqrt(a[k]));
        EXPECT_EQ(quotient[k], a[k] / b[k]);
        EXPECT_EQ(minus[k], -a[k]);
        EXPECT_EQ(rest[k], 1.0 - a[k]);
    }
}

TEST(PackMath, ExponentsAreTakenOffAndPutOn) {
    for (const int k : {-1022, -300, -1, 0, 1, 52, 1023}) {
        EXPECT_EQ(power_of_two(counted(0x1.8p52 + k, 0.0))[1], std::ldexp(1.0, k)) << k;
    }
    for (const double a : {3e-308, 1e-100, 0.5, 0.7071, 0.70711, 1.0, 1.4142, 1.4143, 3.0, 1e308}) {
        Pack<double> exponent;
        const Pack<double> m = mantissa(counted(a, 0.0), exponent);
        EXPECT_EQ(std::ldexp(m[0], static_cast<int>(exponent[0])), a);
        EXPECT_GT(m[0], 0.70710);
        EXPECT_LT(m[0], 1.41422);
    }
}

}  // namespace
}  // namespace kaname::pack_math_test
