// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/dense.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"
#include "tests/unit/solvers/linalg/dense_operator.hpp"

namespace kaname::linalg::dense_test {
namespace {

std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B, int n) {
    std::vector<double> C(A.size(), 0.0);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) {
                C[i * n + j] += A[i * n + k] * B[k * n + j];
            }
        }
    }
    return C;
}

TEST(InvertSemidefinite, GivesTheInverseOfASpdMatrix) {
    constexpr int n = 17;
    const std::vector<double> A = random_spd(n, 21);
    std::vector<double> inverse = A;

    invert_semidefinite(inverse, n);

    const auto identity = product(A, inverse, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            EXPECT_NEAR(identity[i * n + j], i == j ? 1.0 : 0.0, 1e-9);
            EXPECT_EQ(inverse[i * n + j], inverse[j * n + i]);
        }
    }
}

TEST(InvertSemidefinite, PanelsAndThreadsChangeNoBit) {
    constexpr int n = 150;  // rows for all threads, panels of two lengths
    const std::vector<double> A = random_spd(n, 22);
    const int before = device::max_threads();
    device::set_threads(1);
    std::vector<double> alone = A;
    invert_semidefinite(alone, n);
    for (const int threads : {2, 3}) {
        device::set_threads(threads);
        std::vector<double> together = A;

        invert_semidefinite(together, n);

        EXPECT_EQ(together, alone) << threads << " threads";
    }
    device::set_threads(before);
    const auto identity = product(A, alone, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            EXPECT_NEAR(identity[i * n + j], i == j ? 1.0 : 0.0, 1e-8);
        }
    }
}

TEST(InvertSemidefinite, FixedDegreesOfFreedomGetInverseZero) {
    // diag(4, 0, 2) with an empty row and column in the middle.
    std::vector<double> A = {4.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0};

    invert_semidefinite(A, 3);

    const std::vector<double> expected = {2.0 / 7, 0.0,      -1.0 / 7, 0.0,    0.0,
                                          0.0,     -1.0 / 7, 0.0,      4.0 / 7};
    for (int k = 0; k < 9; ++k) {
        EXPECT_NEAR(A[k], expected[k], 1e-15) << k;
    }
}

TEST(InvertSemidefinite, SingularDirectionsStillSolveConsistentSystems) {
    // A = B^T B with rank 4 of 6: A G A = A for a generalised inverse G.
    constexpr int n = 6;
    const auto B = random_numbers(4 * n, 31);
    std::vector<double> A(n * n, 0.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < 4; ++k) {
                A[i * n + j] += B[k * n + i] * B[k * n + j];
            }
        }
    }
    std::vector<double> G = A;

    invert_semidefinite(G, n);

    const auto back = product(product(A, G, n), A, n);
    for (int k = 0; k < n * n; ++k) {
        EXPECT_NEAR(back[k], A[k], 1e-9) << k;
    }
}

TEST(InvertSemidefinite, PivotsBelowTheFloorGetInverseZero) {
    std::vector<double> A = {4.0, 0.0, 0.0, 0.0, 1e-20, 0.0, 0.0, 0.0, 2.0};

    invert_semidefinite(A, 3, 1e-12);

    EXPECT_EQ(A, (std::vector<double>{0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, A[8]}));
    EXPECT_NEAR(A[8], 0.5, 1e-15);
}

TEST(InvertSemidefinite, ZeroMatrixGivesZero) {
    std::vector<double> A(9, 0.0);

    invert_semidefinite(A, 3);

    EXPECT_EQ(A, std::vector<double>(9, 0.0));
}

}  // namespace
}  // namespace kaname::linalg::dense_test
