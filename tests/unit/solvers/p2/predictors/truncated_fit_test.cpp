// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/p2/predictors/region_fit.hpp"

namespace kaname::predictors::truncated_fit_test {
namespace {

constexpr int kRows = 12;

double column(int j, int i) {
    return std::cos(0.7 * (j + 1) * i + 0.3 * j);
}

/// Columns side by side and 2 x(0) - 3 x(1) + 0.5 x(2).
struct Problem {
    std::vector<double> X, b = std::vector<double>(kRows, 0.0);
    explicit Problem(std::initializer_list<int> columns) {
        for (const int j : columns) {
            for (int i = 0; i < kRows; ++i) {
                X.push_back(column(j, i));
            }
        }
        for (int i = 0; i < kRows; ++i) {
            b[i] = 2.0 * column(0, i) - 3.0 * column(1, i) + 0.5 * column(2, i);
        }
    }
};

TEST(TruncatedFit, FindsTheCombination) {
    Problem p{0, 1, 2};
    std::vector<double> a(3);

    EXPECT_EQ(truncated_fit(p.X, p.b, 1e-10, a), 3);

    EXPECT_NEAR(a[0], 2.0, 1e-12);
    EXPECT_NEAR(a[1], -3.0, 1e-12);
    EXPECT_NEAR(a[2], 0.5, 1e-12);
}

TEST(TruncatedFit, LeavesTheSmallestResidualOutsideTheSpan) {
    Problem p{0, 1};
    const Problem before = p;
    std::vector<double> a(2);
    (void)truncated_fit(p.X, p.b, 1e-10, a);

    for (int j = 0; j < 2; ++j) {
        double product = 0.0;
        for (int i = 0; i < kRows; ++i) {
            product += (before.b[i] - a[0] * column(0, i) - a[1] * column(1, i)) * column(j, i);
        }
        EXPECT_NEAR(product, 0.0, 1e-12);
    }
}

TEST(TruncatedFit, DropsColumnsThatAreNearlyDependent) {
    Problem p{0, 1, 0, 2};
    for (int i = 0; i < kRows; ++i) {
        p.X[2 * kRows + i] += 1e-7 * column(5, i);  // noise on a copy of the first
    }
    std::vector<double> a(4);

    EXPECT_EQ(truncated_fit(p.X, p.b, 1e-4, a), 3);

    EXPECT_NEAR(a[0], 2.0, 1e-12);
    EXPECT_EQ(a[2], 0.0);
    EXPECT_NEAR(a[3], 0.5, 1e-12);
}

TEST(TruncatedFit, KeepsThemWhenAskedToAndFitsTheNoise) {
    Problem p{0, 1, 0, 2};
    for (int i = 0; i < kRows; ++i) {
        p.X[2 * kRows + i] += 1e-7 * column(5, i);
        p.b[i] += 1e-3 * column(5, i);
    }
    std::vector<double> a(4);

    EXPECT_EQ(truncated_fit(p.X, p.b, 1e-12, a), 4);

    EXPECT_NEAR(a[2], 1e4, 10.0);
}

TEST(TruncatedFit, ZeroColumnsGetNothing) {
    std::vector<double> X(2 * kRows, 0.0);
    std::vector<double> b(kRows, 1.0);
    std::vector<double> a = {7.0, 7.0};

    EXPECT_EQ(truncated_fit(X, b, 1e-4, a), 0);

    EXPECT_EQ(a, (std::vector<double>{0.0, 0.0}));
}

}  // namespace
}  // namespace kaname::predictors::truncated_fit_test
