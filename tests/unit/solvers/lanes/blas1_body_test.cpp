// SPDX-License-Identifier: BSD-3-Clause
// The GPU's vector kernels, thread by thread on the CPU, against the CPU's kernels.
#include "solvers/lanes/blas1_body.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/lanes/blas1.hpp"

namespace kaname::lanes {
namespace {

constexpr std::int64_t kNumbers = 3 * 57;  // of all lanes

template <class T>
device::Buffer<T> random_vector(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    device::Buffer<T> x(kNumbers * kLanes);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<T>(uniform(random));
    }
    return x;
}

template <class T>
Quad<T>* quads(device::Buffer<T>& x) {
    return reinterpret_cast<Quad<T>*>(x.data());
}

template <class Body>
void run(const Body& body, std::int64_t n = kNumbers) {
    for (std::int64_t i = 0; i < n; ++i) {
        body(i);
    }
}

template <class T>
void expect_same(const device::Buffer<T>& a, const device::Buffer<T>& b, double rounding = 0.0) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_NEAR(a[i], b[i], rounding) << i;
    }
}

class Blas1Body : public testing::Test {
protected:
    device::Queue queue;
    const LaneScalars a = {0.3, -1.7, 2.5, 0.0};
    const LaneScalars b = {1.1, 0.0, -0.4, 1.0};
};

TEST_F(Blas1Body, Axpby) {
    auto x = random_vector<float>(1);
    auto cpu = random_vector<float>(2);
    auto gpu = random_vector<float>(2);
    cpu[1] = gpu[1] = std::numeric_limits<float>::quiet_NaN();  // lane 1 has b = 0

    axpby(a, x, b, cpu, queue);
    run(body::Axpby<float>{body::Scalars<float>(a), body::Scalars<float>(b), quads(x), quads(gpu)});

    expect_same(gpu, cpu, 1e-6);
}

TEST_F(Blas1Body, ScaleBothWays) {
    auto x = random_vector<double>(3);
    device::Buffer<float> down(x.size());
    device::Buffer<float> down_gpu(x.size());
    scale_to_float(a, x, down, queue);
    run(body::Scale<double, float>{body::Scalars<double>(a), quads(x), quads(down_gpu)});
    expect_same(down_gpu, down);

    device::Buffer<double> up(x.size());
    device::Buffer<double> up_gpu(x.size());
    scale_to_double(b, down, up, queue);
    run(body::Scale<float, double>{body::Scalars<double>(b), quads(down), quads(up_gpu)});
    expect_same(up_gpu, up);
}

TEST_F(Blas1Body, TheSimpleOnes) {
    auto x = random_vector<float>(4);
    auto cpu = random_vector<float>(5);
    auto gpu = random_vector<float>(5);
    subtract_from(x, cpu, queue);
    run(body::SubtractFrom{quads(x), quads(gpu)});
    expect_same(gpu, cpu);

    std::vector<std::int32_t> dofs = {0, 7, kNumbers - 1};
    zero_dofs<float>(dofs, cpu, queue);
    run(body::ZeroDofs<float>{dofs.data(), quads(gpu)}, 3);
    expect_same(gpu, cpu);

    const auto w = random_vector<float>(6);
    const auto weights = w.view().first(kNumbers);
    scale_items<float>(weights, cpu, queue);
    run(body::ScaleItems<float>{weights.data(), quads(gpu)});
    expect_same(gpu, cpu);

    zero_lane<float>(kLanes - 1, cpu, queue);
    run(body::ZeroLane<float>{kLanes - 1, quads(gpu)});
    expect_same(gpu, cpu);

    fill<float>(3.5F, cpu, queue);
    run(body::Fill<float>{3.5F, quads(gpu)});
    expect_same(gpu, cpu);
}

TEST_F(Blas1Body, AddMixed) {
    LaneGram A;
    for (int k = 0; k < kLanes; ++k) {
        for (int lane = 0; lane < kLanes; ++lane) {
            A[k][lane] = 0.1 * k - 0.7 * lane;
        }
    }
    auto x = random_vector<double>(7);
    auto cpu = random_vector<double>(8);
    auto gpu = random_vector<double>(8);
    add_mixed(A, x, cpu, queue);
    body::AddMixed body{{}, quads(x), quads(gpu)};
    for (int k = 0; k < kLanes; ++k) {
        std::copy(A[k].begin(), A[k].end(), body.A[k]);
    }
    run(body);
    expect_same(gpu, cpu, 1e-14);
}

TEST_F(Blas1Body, DotAndGramSkipWhatIsNotOwned) {
    auto x = random_vector<double>(9);
    auto y = random_vector<double>(10);
    std::vector<std::uint8_t> owned(kNumbers / 3, 1);
    owned[4] = owned[40] = 0;
    const body::Dot<double> dot_body{quads(x), quads(y), 3, owned.data()};
    const body::Gram gram_body{quads(x), quads(y), 3, owned.data()};
    double dots[kLanes] = {};
    double grams[kLanes * kLanes] = {};
    for (std::int64_t i = 0; i < kNumbers; ++i) {
        dot_body(i, dots);
        gram_body(i, grams);
    }

    const LaneScalars d = dot(x, y, 3 * kLanes, owned, queue);
    const LaneGram g = gram(x, y, 3 * kLanes, owned, queue);

    for (int k = 0; k < kLanes; ++k) {
        EXPECT_NEAR(dots[k], d[k], 1e-13);
        for (int lane = 0; lane < kLanes; ++lane) {
            EXPECT_NEAR(grams[k * kLanes + lane], g[k][lane], 1e-13);
        }
    }
}

}  // namespace
}  // namespace kaname::lanes
