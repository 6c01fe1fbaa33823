// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/integer_element_body.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kaname::voxelwave::integer_element_body_test {
namespace {

/// In [1, 2), with 2 - 2^-28 and beyond, 1 + 2^-28 and below as often as all others.
double mantissa(std::mt19937_64& random) {
    const double all = std::ldexp(static_cast<double>(random() >> 12), -52);
    const unsigned kind = random() % 3;
    return kind == 0   ? 1.0 + all
           : kind == 1 ? 1.0 + std::ldexp(std::floor(std::ldexp(all, 24)), -52)
                       : 2.0 - std::ldexp(1 + std::floor(std::ldexp(all, 24)), -52);
}

TEST(IntegerElementBody, AQuotientByAReciprocalIsRoundedAsADivision) {
    std::mt19937_64 random(1);
    for (int k = 0; k < 300000; ++k) {
        const int exponent = static_cast<int>(random() % 1000) - 500;
        const double largest = std::ldexp(mantissa(random), exponent);
        double value = std::ldexp(mantissa(random), exponent - static_cast<int>(random() % 64));
        value = random() % 2 == 0 ? value : -value;
        if (std::abs(value) > largest) {
            value *= 0.5;
        }
        ASSERT_EQ(body::quotient(value, largest, 1.0 / largest), value / largest)
            << std::hexfloat << value << ' ' << largest;
    }
    EXPECT_EQ(body::quotient(0.0, 0.0, 0.0), 0.0);
    EXPECT_EQ(body::quotient(-3.0, 3.0, 1.0 / 3.0), -1.0);
}

}  // namespace
}  // namespace kaname::voxelwave::integer_element_body_test
