// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/linalg/dense.hpp"
#include "tests/unit/solvers/linalg/dense_operator.hpp"

namespace kaname::linalg::symmetric_eigen_test {
namespace {

TEST(SymmetricEigen, EigenvaluesOfAChainAreKnown) {
    constexpr int n = 12;
    const auto eigen = symmetric_eigen(laplacian(n, 1), n);

    for (int k = 0; k < n; ++k) {
        const double exact = 2.0 - 2.0 * std::cos((k + 1) * std::acos(-1.0) / (n + 1));
        EXPECT_NEAR(eigen.value[k], exact, 1e-14);
    }
}

TEST(SymmetricEigen, VectorsAreOrthonormalAndRebuildTheMatrix) {
    constexpr int n = 25;
    const auto A = random_spd(n, 3);
    const auto eigen = symmetric_eigen(A, n);

    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double product = 0.0;
            double rebuilt = 0.0;
            for (int k = 0; k < n; ++k) {
                product += eigen.vector[i * n + k] * eigen.vector[j * n + k];
                rebuilt += eigen.value[k] * eigen.vector[k * n + i] * eigen.vector[k * n + j];
            }
            EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-13);
            EXPECT_NEAR(rebuilt, A[i * n + j], 1e-12);
        }
    }
}

TEST(SymmetricEigen, SmallEigenvaluesOfAGradedMatrixKeepTheirDigits) {
    const std::vector<double> A = {1.0, 1e-6, 1e-6, 1e-10};

    const auto eigen = symmetric_eigen(A, 2);

    // det / largest, where det = 1e-10 - 1e-12.
    EXPECT_NEAR(eigen.value[0] / 0.99e-10, 1.0, 1e-9);
}

TEST(SymmetricEigen, ZeroAndEmptyMatricesAreFine) {
    EXPECT_EQ(symmetric_eigen(std::vector<double>(4, 0.0), 2).value,
              (std::vector<double>{0.0, 0.0}));
    EXPECT_TRUE(symmetric_eigen({}, 0).value.empty());
}

TEST(SymmetricEigen, RefusesNan) {
    const std::vector<double> A = {1.0, 0.0, std::nan(""), 1.0};
    EXPECT_THROW((void)symmetric_eigen(A, 2), Error);
}

}  // namespace
}  // namespace kaname::linalg::symmetric_eigen_test
