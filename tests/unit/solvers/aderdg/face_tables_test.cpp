// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/face_tables.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/quadrature.hpp"

namespace kaname::aderdg::face_tables_test {
namespace {

TEST(TrianglePoints, IntegratePolynomialsOfTheirDegree) {
    for (int degree = 2; degree <= 12; degree += 2) {
        const auto points = triangle_points(degree);
        for (int i = 0; i <= degree; ++i) {
            for (int j = 0; i + j <= degree; ++j) {
                double sum = 0.0;
                for (const TrianglePoint& p : points) {
                    EXPECT_GT(p.weight, 0.0);
                    sum += p.weight * std::pow(p.lambda[0], i) * std::pow(p.lambda[1], j);
                }
                // int l0^i l1^j = 2 i! j!/(i + j + 2)! for an area of 1
                const double exact =
                    2.0 * std::tgamma(i + 1.0) * std::tgamma(j + 1.0) / std::tgamma(i + j + 3.0);
                EXPECT_NEAR(sum, exact, 1e-14) << degree << " " << i << " " << j;
            }
        }
    }
    EXPECT_THROW((void)triangle_points(3), std::out_of_range);
}

TEST(FaceTables, PolynomialsComeBackFromTheirPoints) {
    for (int N = 1; N <= 6; ++N) {
        const FaceTables tables(N, 0);
        const int modes = face_modes(N), padded = tables.rule.padded();
        for (int k = 0; k < modes; ++k) {
            for (int m = 0; m < modes; ++m) {
                double sum = 0.0;
                for (int p = 0; p < padded; ++p) {
                    sum += tables.values[k * padded + p] * tables.projection[p * modes + m];
                }
                EXPECT_NEAR(sum, k == m ? 1.0 : 0.0, 1e-11) << N;
            }
        }
    }
}

TEST(FaceTables, AFacesModesLieOnIt) {
    const KeptTrace elastic(4, 0), full(4, 2);
    EXPECT_EQ(elastic.powers(), 5);
    EXPECT_EQ(elastic.numbers(), 15 + 10 + 6 + 3 + 1);
    EXPECT_EQ(full.powers(), 6);
    EXPECT_EQ(full.numbers(), 6 * 15);
    EXPECT_EQ(elastic.factor(2), 6.0);
    EXPECT_EQ(full.factor(2), 1.0);
    const auto indices = tet_indices<3>();
    for (int f = 0; f < 4; ++f) {
        for (const std::uint8_t mode : elastic.modes(1, f)) {
            EXPECT_EQ(indices[mode][f], 0);
        }
    }
}

}  // namespace
}  // namespace kaname::aderdg::face_tables_test
