// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/linalg/chebyshev.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/linalg/dense_operator.hpp"

namespace kaname::linalg::chebyshev_test {
namespace {

using lanes::kLanes;

constexpr int kItems = 31;
constexpr int kUnknowns = 3 * kItems;
constexpr std::size_t kSize = std::size_t(kUnknowns) * kLanes;

device::Buffer<float> inverse_blocks(int items, double value) {
    device::Buffer<float> D(std::size_t(items) * 9);
    for (int item = 0; item < items; ++item) {
        for (int i = 0; i < 3; ++i) {
            D[item * 9 + i * 3 + i] = static_cast<float>(value);
        }
    }
    return D;
}

/// D^-1 A of the Laplacian has eigenvalues 1 - cos(k pi / (items + 1)), eigenvectors sine waves.
double eigenvalue(int k) {
    return 1.0 - std::cos(k * std::numbers::pi / (kItems + 1));
}

class Chebyshev : public testing::Test {
protected:
    device::Buffer<float> wave(int k) const {
        device::Buffer<float> x(kSize);
        for (std::size_t i = 0; i < kSize; ++i) {
            const auto item = static_cast<double>(i / (3 * kLanes));
            x[i] = static_cast<float>(std::sin((item + 1) * k * std::numbers::pi / (kItems + 1)));
        }
        return x;
    }
    device::Buffer<float> random(unsigned seed) const {
        const auto values = random_numbers(kSize, seed);
        device::Buffer<float> x(kSize);
        for (std::size_t i = 0; i < kSize; ++i) {
            x[i] = static_cast<float>(values[i]);
        }
        return x;
    }
    /// One cycle: smoother, correction by the constant vector of each component, smoother.
    device::Buffer<float> cycle(const device::Buffer<float>& b) {
        device::Buffer<float> x(kSize);
        device::Buffer<float> r(kSize);
        smoother.pre_smooth(b, x, queue);
        smoother.residual(b, x, r, queue);
        for (int k = 0; k < 3 * kLanes; ++k) {
            double sum = 0.0;
            for (int item = 0; item < kItems; ++item) {
                sum += r[item * 3 * kLanes + k];
            }
            for (int item = 0; item < kItems; ++item) {
                x[item * 3 * kLanes + k] += static_cast<float>(0.5 * sum);  // 1^T A 1 = 2
            }
        }
        smoother.post_smooth(b, x, queue);
        return x;
    }

    DenseOperator<float> A{laplacian(kItems, 3), kUnknowns};
    device::Buffer<float> D = inverse_blocks(kItems, 0.5);
    ChebyshevSmoother::Params params{3, 20.0};
    device::Queue queue;
    ChebyshevSmoother smoother{A, 3, D, 2.0, params, queue};
};

double chebyshev_3(double t) {
    return 4.0 * t * t * t - 3.0 * t;
}

TEST_F(Chebyshev, ErrorFactorIsTheChebyshevPolynomial) {
    // Error factor at eigenvalue l: T_3((theta - l)/delta) / T_3(theta/delta) on [0.1, 2].
    const double theta = 1.05;
    const double delta = 0.95;
    for (const int k : {1, 9, 16, 25, 31}) {
        const double factor =
            chebyshev_3((theta - eigenvalue(k)) / delta) / chebyshev_3(theta / delta);
        const auto b = wave(k);
        device::Buffer<float> x(kSize);
        device::Buffer<float> r(kSize);

        smoother.pre_smooth(b, x, queue);
        smoother.residual(b, x, r, queue);

        for (std::size_t i = 0; i < kSize; ++i) {
            EXPECT_NEAR(r[i], factor * b[i], 2e-5) << k;
        }
    }
}

TEST_F(Chebyshev, ReducesHighFrequenciesByMoreThanHalf) {
    for (int k = 1; k <= kItems; ++k) {
        const auto b = wave(k);
        device::Buffer<float> x(kSize);
        device::Buffer<float> r(kSize);

        smoother.pre_smooth(b, x, queue);
        smoother.residual(b, x, r, queue);

        double before = 0.0;
        double after = 0.0;
        for (std::size_t i = 0; i < kSize; ++i) {
            before = std::max<double>(before, std::abs(b[i]));
            after = std::max<double>(after, std::abs(r[i]));
        }
        if (eigenvalue(k) >= 0.1) {
            EXPECT_LT(after, 0.49 * before) << k;
        }
        EXPECT_LT(after, before) << k;
    }
}

TEST_F(Chebyshev, PreSmoothIgnoresWhatXHeld) {
    const auto b = random(2);
    device::Buffer<float> clean(kSize);
    device::Buffer<float> dirty(kSize);
    dirty.fill(std::nanf(""));

    smoother.pre_smooth(b, clean, queue);
    smoother.pre_smooth(b, dirty, queue);

    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_EQ(dirty[i], clean[i]) << i;
    }
}

TEST_F(Chebyshev, ResidualIsRightHandSideMinusOperator) {
    const auto b = random(2);
    const auto x = random(7);
    device::Buffer<float> r(kSize);
    device::Buffer<float> Ax(kSize);

    smoother.residual(b, x, r, queue);

    A.apply(x, Ax, queue);
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_EQ(r[i], b[i] - Ax[i]) << i;
    }
}

TEST_F(Chebyshev, PostSmoothFromZeroIsPreSmoothForOddAndEvenDegrees) {
    for (const int degree : {1, 2, 3, 6}) {
        ChebyshevSmoother any(A, 3, D, 2.0, {degree, 20.0}, queue);
        const auto b = random(3);
        device::Buffer<float> pre(kSize);
        device::Buffer<float> post(kSize);

        any.pre_smooth(b, pre, queue);
        any.post_smooth(b, post, queue);

        for (std::size_t i = 0; i < kSize; ++i) {
            EXPECT_NEAR(post[i], pre[i], 1e-6) << degree << ' ' << i;
        }
    }
}

TEST_F(Chebyshev, PostSmoothMovesOnFromItsStart) {
    // x + S (b - A x)
    const auto b = random(3);
    const auto start = random(8);
    auto x = random(8);
    device::Buffer<float> r(kSize);
    device::Buffer<float> change(kSize);
    smoother.residual(b, start, r, queue);
    smoother.pre_smooth(r, change, queue);

    smoother.post_smooth(b, x, queue);

    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(x[i], start[i] + change[i], 3e-6) << i;
    }
}

TEST_F(Chebyshev, DegreesOneAndTwoAreTheirPolynomialsToo) {
    // Degree 1 is damped block Jacobi; degree 2 has T_2 where degree 3 has T_3.
    const double theta = 1.05;
    const double delta = 0.95;
    const auto t2 = [](double t) { return 2.0 * t * t - 1.0; };
    const double factors[2] = {1.0 - eigenvalue(20) / theta,
                               t2((theta - eigenvalue(20)) / delta) / t2(theta / delta)};
    const auto b = wave(20);
    for (const int degree : {1, 2}) {
        ChebyshevSmoother other(A, 3, D, 2.0, {degree, 20.0}, queue);
        device::Buffer<float> x(kSize);
        device::Buffer<float> r(kSize);

        other.pre_smooth(b, x, queue);

        other.residual(b, x, r, queue);
        for (std::size_t i = 0; i < kSize; ++i) {
            EXPECT_NEAR(r[i], factors[degree - 1] * b[i], 1e-5) << degree;
        }
    }
}

TEST_F(Chebyshev, CycleWithPreAndPostSmoothingIsSymmetric) {
    const auto x = random(4);
    const auto y = random(5);

    const auto Mx = cycle(x);
    const auto My = cycle(y);

    for (int lane = 0; lane < kLanes; ++lane) {
        double a = 0.0;
        double b = 0.0;
        double own = 0.0;
        for (std::size_t i = lane; i < kSize; i += kLanes) {
            a += double(Mx[i]) * y[i];
            b += double(x[i]) * My[i];
            own += double(Mx[i]) * x[i];
        }
        EXPECT_NEAR(a, b, 1e-5 * own);
        EXPECT_GT(own, 0.0);
    }
}

std::vector<std::int64_t> ids(int items) {
    std::vector<std::int64_t> gid(items);
    std::iota(gid.begin(), gid.end(), 0);
    return gid;
}

/// diag(1, 1 + 1/n, ...) with one large entry.
std::vector<double> spiked(int n, int spike, double value) {
    std::vector<double> A(std::size_t(n) * n, 0.0);
    for (int i = 0; i < n; ++i) {
        A[i * n + i] = i == spike ? value : 1.0 + double(i) / n;
    }
    return A;
}

/// With D^-1 = inverse I.
double lambda_of(const std::vector<double>& matrix, int items, double inverse,
                 const std::vector<std::int32_t>& fixed = {}) {
    DenseOperator<float> A(matrix, 3 * items);
    const auto D = inverse_blocks(items, inverse);
    comm::SerialComm comm;
    device::Queue queue;
    return largest_eigenvalue(A, 3, D, ids(items), {}, fixed, comm, queue);
}

TEST(LargestEigenvalue, IsTheKnownOneTimesTheSafetyFactor) {
    EXPECT_NEAR(lambda_of(spiked(21, 8, 7.0), 7, 0.5), 1.05 * 3.5, 1e-4);
}

TEST(LargestEigenvalue, BoundsTheLaplaciansSpectrumFromAboveWithinFivePerCent) {
    const double lambda = lambda_of(laplacian(kItems, 3), kItems, 0.5);

    EXPECT_GT(lambda, eigenvalue(kItems));
    EXPECT_LT(lambda, 1.0501 * eigenvalue(kItems));
}

TEST(LargestEigenvalue, FindsWhatAFewUnknownsOfManyHaveBarelyAboveTheRest) {
    // Twenty power iterations amplify the spike by (2.3 / 2)^20 = 16 only, of 1 / sqrt(600).
    EXPECT_NEAR(lambda_of(spiked(600, 123, 2.3), 200, 1.0), 1.05 * 2.3, 0.01);
}

TEST(EigenvalueRange, HasBothEndsOfWhatIsPreconditioned) {
    // Eigenvalues 1 .. 1.92 and 7 of A, half of them of M^-1 A.
    DenseOperator<float> A(spiked(12, 8, 7.0), 12);
    comm::SerialComm comm;
    device::Queue queue;
    const auto halve = [&](device::View<const float> r, device::View<float> z) {
        lanes::axpby(lanes::all_lanes(0.5), r, {}, z, queue);
    };

    const auto range = eigenvalue_range({A, halve, 3, ids(4), {}, {}}, 12, comm, queue);

    EXPECT_NEAR(range.largest, 3.5, 1e-4);
    EXPECT_NEAR(range.smallest, 0.5, 1e-4);
}

TEST(LargestEigenvalue, IgnoresFixedDegreesOfFreedom) {
    const double lambda = lambda_of(spiked(21, 8, 7.0), 7, 1.0, {8});

    EXPECT_LT(lambda, 2.2);
    EXPECT_GT(lambda, 1.5);
}

TEST(LargestEigenvalue, DoesNotDependOnTheNumberOfRanks) {
    const auto lambda_on = [&](int ranks) {
        double result = 0.0;
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            // Items of the diagonal matrix in runs, one per rank.
            const int items = 12 / ranks;
            const int first = comm.rank() * items;
            const auto whole = spiked(36, 20, 3.0);
            std::vector<double> A(std::size_t(items) * items * 9, 0.0);
            for (int i = 0; i < 3 * items; ++i) {
                A[i * 3 * items + i] = whole[(first * 3 + i) * 37];
            }
            DenseOperator<float> own(A, 3 * items);
            const auto D = inverse_blocks(items, 1.0);
            std::vector<std::int64_t> gid(items);
            std::iota(gid.begin(), gid.end(), first);
            device::Queue queue;
            const double lambda = largest_eigenvalue(own, 3, D, gid, {}, {}, comm, queue);
            if (comm.rank() == 0) {
                result = lambda;
            }
        });
        return result;
    };

    const double one = lambda_on(1);

    EXPECT_NEAR(lambda_on(2), one, 1e-6);
    EXPECT_NEAR(lambda_on(3), one, 1e-6);
}

}  // namespace
}  // namespace kaname::linalg::chebyshev_test
