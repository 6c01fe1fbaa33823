// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/aderdg/quadrature.hpp"

namespace kaname::aderdg::gauss_test {
namespace {

TEST(Gauss, RulesAreExactToTheirDegree) {
    for (int n = 1; n <= 12; ++n) {
        const GaussRule& rule = gauss_rule(n);
        const auto integral = [&](int power) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += rule.w[k] * std::pow(rule.x[k], power);
            }
            return sum;
        };
        for (int power = 0; power < 2 * n; ++power) {
            EXPECT_NEAR(integral(power), 1.0 / (power + 1), 1e-14) << n << " points, " << power;
        }
        // n!^4/((2 n + 1) (2 n)!^2) is what the next degree is off by.
        const double off =
            std::exp(4 * std::lgamma(n + 1) - 2 * std::lgamma(2 * n + 1)) / (2 * n + 1);
        EXPECT_NEAR(1.0 / (2 * n + 1) - integral(2 * n), off, 1e-14);
    }
}

TEST(Gauss, LegendresPolynomialsAreOrthogonal) {
    const GaussRule& rule = gauss_rule(12);
    for (int a = 0; a <= 8; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = 0.0;
            for (std::size_t k = 0; k < rule.x.size(); ++k) {
                sum += rule.w[k] * polynomial(legendre(a), rule.x[k]) *
                       polynomial(legendre(b), rule.x[k]);
            }
            EXPECT_NEAR(sum, a == b ? 1.0 / (2 * a + 1) : 0.0, 1e-12) << a << " " << b;
        }
        EXPECT_NEAR(polynomial(legendre(a), 1.0), 1.0, 1e-9);
    }
}

TEST(Gauss, TetrahedronsRuleIsExactToItsDegree) {
    for (int n = 2; n <= 9; ++n) {
        const TetRule rule(n);
        for (int degree = 0; degree <= 2 * n - 3; ++degree) {
            // int l0^a l1^b l2^c l3^d = 6 V a! b! c! d!/(a + b + c + d + 3)!
            const std::array<int, 4> power = {degree / 4, (degree + 1) / 4, (degree + 2) / 4,
                                              (degree + 3) / 4};
            double sum = 0.0, wanted = 6.0 / std::tgamma(degree + 4);
            for (const TetRule::Point& p : rule.points) {
                double product = p.weight;
                for (int v = 0; v < 4; ++v) {
                    product *= std::pow(p.lambda[v], power[v]);
                }
                sum += product;
            }
            for (const int a : power) {
                wanted *= std::tgamma(a + 1);
            }
            EXPECT_NEAR(sum / wanted, 1.0, 1e-11) << n << " points along, degree " << degree;
        }
    }
}

TEST(Gauss, SystemsAreSolved) {
    const std::vector<double> x = solved({4, 2, 1, 2, 5, 3, 1, 3, 6}, {9, 21, 25});
    EXPECT_NEAR(4 * x[0] + 2 * x[1] + x[2], 9.0, 1e-12);
    EXPECT_NEAR(2 * x[0] + 5 * x[1] + 3 * x[2], 21.0, 1e-12);
    EXPECT_NEAR(x[0] + 3 * x[1] + 6 * x[2], 25.0, 1e-12);
}

}  // namespace
}  // namespace kaname::aderdg::gauss_test
