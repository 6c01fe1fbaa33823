// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/parallel/flush_denormals.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace kaname::flush_denormals_test {
namespace {

#ifdef __SSE__
TEST(FlushDenormals, HoldsWhileItLives) {
    volatile float small = std::numeric_limits<float>::min();
    {
        const FlushDenormals flush;
        volatile float half = small * 0.5F;
        EXPECT_EQ(half, 0.0F);
    }
    volatile float half = small * 0.5F;
    EXPECT_GT(half, 0.0F);
}
#endif

}  // namespace
}  // namespace kaname::flush_denormals_test
