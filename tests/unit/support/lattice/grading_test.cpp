// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/grading.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace kaname::meshing::grading_test {
namespace {

TEST(GradedLines, AreUniformWhereTheSizeIs) {
    const std::array<double, 2> fixed = {-3.0, 5.0};

    const auto lines = graded_lines(fixed, [](double) { return 2.0; });

    ASSERT_EQ(lines.size(), 5u);
    for (int line = 0; line < 5; ++line) {
        EXPECT_NEAR(lines[line], -3.0 + 2.0 * line, 1e-12);
    }
}

TEST(GradedLines, GrowGeometricallyAndKeepFixedPoints) {
    const std::array<double, 3> fixed = {0.0, 10.0, 200.0};

    const auto lines = graded_lines(
        fixed, [](double x) { return grown_size(2.0, 1e9, 0.25, std::max(0.0, x - 10.0)); });

    EXPECT_TRUE(std::count(lines.begin(), lines.end(), 10.0) == 1);
    EXPECT_EQ(lines.back(), 200.0);
    const auto start = std::find(lines.begin(), lines.end(), 10.0);
    EXPECT_NEAR(start[1] - start[0], 2.0, 0.1);
    for (auto line = start + 2; line != lines.end(); ++line) {
        EXPECT_NEAR((line[0] - line[-1]) / (line[-1] - line[-2]), 1.25, 0.02);
    }
}

TEST(GradedLines, KeepOneCellBetweenCloseFixedPoints) {
    const std::array<double, 3> fixed = {0.0, 0.1, 5.0};

    const auto lines = graded_lines(fixed, [](double) { return 1.0; });

    EXPECT_EQ(lines[1], 0.1);
    EXPECT_EQ(lines.size(), 7u);
}

}  // namespace
}  // namespace kaname::meshing::grading_test
