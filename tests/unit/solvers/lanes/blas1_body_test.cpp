// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the vector kernels, for several numbers of lanes, against plain loops.
#include "solvers/lanes/blas1_body.hpp"

#include <limits>

#include "solvers/lanes/reduce.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::blas1_body_test {
namespace {

constexpr std::int64_t kNumbers = 3 * 257;  // more than kFewItems: the CPU's threads run

template <class Lanes>
class Blas1Body : public testing::Test {
protected:
    static constexpr int L = Lanes::value;
    static constexpr std::size_t kSize = kNumbers * L;

    template <class T>
    static body::Scalars<T, L> scalars(double first) {
        body::Scalars<T, L> s{};
        for (int lane = 0; lane < L; ++lane) {
            s.v[lane] = static_cast<T>(first - 0.3 * lane);
        }
        return s;
    }
};
using LaneCounts = testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 4>,
                                  std::integral_constant<int, 8>>;
TYPED_TEST_SUITE(Blas1Body, LaneCounts);

TYPED_TEST(Blas1Body, AxpbyForgetsLanesWithFactorZero) {
    constexpr int L = TestFixture::L;
    const auto a = TestFixture::template scalars<float>(0.9);
    auto b = TestFixture::template scalars<float>(1.1);
    b.v[L - 1] = 0.0F;
    const auto x = waves<float>(TestFixture::kSize, 0.1);
    auto y = waves<float>(TestFixture::kSize, 0.2);
    y[L - 1] = std::numeric_limits<float>::quiet_NaN();

    expect_body(
        kNumbers, y, 1e-6,
        [&](float* to) {
            return body::Axpby<float, L>{a, b, x.data(), to};
        },
        [&](std::size_t k) {
            const float factor = b.v[k % L];
            return a.v[k % L] * x[k] + (factor == 0.0F ? 0.0F : factor * y[k]);
        });
}

TYPED_TEST(Blas1Body, ScalesBetweenPrecisions) {
    constexpr int L = TestFixture::L;
    const auto a = TestFixture::template scalars<double>(0.7);
    const auto x = waves<double>(TestFixture::kSize, 0.3);
    const auto narrow = waves<float>(TestFixture::kSize, 0.4);

    expect_body(
        kNumbers, narrow, 0.0,
        [&](float* to) {
            return body::Scale<double, float, L>{a, x.data(), to};
        },
        [&](std::size_t k) { return static_cast<float>(a.v[k % L] * x[k]); });
    expect_body(
        kNumbers, x, 0.0,
        [&](double* to) {
            return body::Scale<float, double, L>{a, narrow.data(), to};
        },
        [&](std::size_t k) { return a.v[k % L] * static_cast<double>(narrow[k]); });
}

TYPED_TEST(Blas1Body, TheSimpleOnes) {
    constexpr int L = TestFixture::L;
    const auto x = waves<float>(TestFixture::kSize, 0.5);
    const auto y = waves<float>(TestFixture::kSize, 0.6);
    const auto w = waves<float>(kNumbers, 0.7);
    const std::vector<std::int32_t> dofs = {0, 7, kNumbers - 1};

    expect_body(
        kNumbers, y, 0.0,
        [&](float* to) {
            return body::SubtractFrom<L>{x.data(), to};
        },
        [&](std::size_t k) { return x[k] - y[k]; });
    expect_body(
        kNumbers, y, 0.0,
        [&](float* to) {
            return body::ScaleItems<float, L>{w.data(), to};
        },
        [&](std::size_t k) { return w[k / L] * y[k]; });
    expect_body(
        kNumbers, y, 0.0,
        [&](float* to) {
            return body::Fill<float, L>{3.5F, to};
        },
        [&](std::size_t) { return 3.5F; });
    expect_body(
        kNumbers, y, 0.0,
        [&](float* to) {
            return body::ZeroLane<float, L>{L / 2, to};
        },
        [&](std::size_t k) { return k % L == L / 2 ? 0.0F : y[k]; });
    expect_body(
        3, y, 0.0,
        [&](float* to) {
            return body::ZeroDofs<float, L>{dofs.data(), to};
        },
        [&](std::size_t k) { return std::ranges::count(dofs, int(k / L)) > 0 ? 0.0F : y[k]; });
}

TYPED_TEST(Blas1Body, AddMixedTakesEveryLaneToEveryLane) {
    constexpr int L = TestFixture::L;
    const auto x = waves<double>(TestFixture::kSize, 0.8);
    const auto y = waves<double>(TestFixture::kSize, 0.9);
    body::AddMixed<L> add{{}, x.data(), nullptr};
    for (int from = 0; from < L; ++from) {
        for (int lane = 0; lane < L; ++lane) {
            add.A[from][lane] = 0.1 * from - 0.7 * lane;
        }
    }

    expect_body(
        kNumbers, y, 1e-14,
        [&](double* to) {
            add.y = to;
            return add;
        },
        [&](std::size_t k) {
            double value = y[k];
            for (int from = 0; from < L; ++from) {
                value += add.A[from][k % L] * x[k / L * L + from];
            }
            return value;
        });
}

TYPED_TEST(Blas1Body, DotAndGramSkipWhatIsNotOwned) {
    constexpr int L = TestFixture::L;
    const auto x = waves<double>(TestFixture::kSize, 1.0);
    const auto y = waves<double>(TestFixture::kSize, 1.1);
    std::vector<std::uint8_t> owned(kNumbers / 3, 1);
    owned[4] = owned[40] = 0;
    const body::Dot<double, L> dot{x.data(), y.data(), 3};
    const body::Gram<L> gram{x.data(), y.data(), 3};
    double expected[L][L] = {};
    LaneArray<double, L> thread_dot[1] = {};
    LaneArray<double, L> thread_gram[L] = {};
    for (std::int64_t i = 0; i < kNumbers; ++i) {
        if (owned[i / 3] != 0) {
            dot(i, LaneArrays<L>{}, thread_dot);
            gram(i, LaneArrays<L>{}, thread_gram);
            for (int a = 0; a < L; ++a) {
                for (int b = 0; b < L; ++b) {
                    expected[a][b] += x[i * L + a] * y[i * L + b];
                }
            }
        }
    }

    SumsOf<body::Dot<double, L>> dots{};
    SumsOf<body::Gram<L>> grams{};
    reduce_cpu(kNumbers / 3, dot, owned, dots);
    reduce_cpu(kNumbers / 3, gram, owned, grams);

    for (int a = 0; a < L; ++a) {
        EXPECT_NEAR(dots[a], expected[a][a], 1e-12);
        EXPECT_NEAR(thread_dot[0][a], expected[a][a], 1e-12);
        for (int b = 0; b < L; ++b) {
            EXPECT_NEAR(grams[a * L + b], expected[a][b], 1e-12);
            EXPECT_NEAR(thread_gram[a][b], expected[a][b], 1e-12);
        }
    }
}

}  // namespace
}  // namespace kaname::lanes::blas1_body_test
