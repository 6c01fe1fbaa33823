// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/blas1_body.hpp"
#include "solvers/lanes/reduce.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::lanes::cg_passes_test {
namespace {

constexpr int kItems = 4999;  // more than two chunks, the last one short
constexpr int kNumbers = 3 * kItems;
constexpr std::size_t kSize = std::size_t(kNumbers) * kLanes;

template <class T>
device::Buffer<T> buffer(double phase, std::size_t size = kSize) {
    device::Buffer<T> x(size);
    std::ranges::copy(waves<T>(size, phase), x.data());
    return x;
}

class CgPasses : public testing::Test {
protected:
    CgPasses() {
        for (int item = 3; item < kItems; item += 7) {
            owned[item] = 0;
        }
    }
    [[nodiscard]] bool counts(std::size_t i) const { return owned[i / kLanes / 3] != 0; }

    device::Queue queue;
    std::vector<std::uint8_t> owned = std::vector<std::uint8_t>(kItems, 1);
};

TEST_F(CgPasses, ResidualIsStoredEverywhereAndCountedWhereOwned) {
    const auto b = buffer<double>(0.1);
    const auto Ax = buffer<double>(0.2);
    auto r = buffer<double>(0.2);
    LaneScalars bb{};
    LaneScalars rr{};

    const ResidualSums sums = residual(b, r, 3 * kLanes, owned, queue);

    for (std::size_t i = 0; i < kSize; ++i) {
        ASSERT_EQ(r[i], b[i] - Ax[i]) << i;
        bb[i % kLanes] += counts(i) ? b[i] * b[i] : 0.0;
        rr[i % kLanes] += counts(i) ? r[i] * r[i] : 0.0;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(sums.bb[lane], bb[lane], 1e-9);
        EXPECT_NEAR(sums.rr[lane], rr[lane], 1e-9);
    }
    EXPECT_THROW((void)residual(b, r.view().first(kLanes), 3 * kLanes, {}, queue), Error);
}

TEST_F(CgPasses, UpdateMovesBothVectorsEverywhere) {
    const LaneScalars a = {0.5, 0.0, -2.0, 1.5};
    const auto p = buffer<double>(0.1);
    const auto Ap = buffer<double>(0.2);
    auto x = buffer<double>(0.3);
    auto r = buffer<double>(0.4);
    const auto x_old = buffer<double>(0.3);
    const auto r_old = buffer<double>(0.4);
    LaneScalars expected{};

    const LaneScalars rr = update({a, p, Ap, x, r}, 3 * kLanes, owned, queue);

    for (std::size_t i = 0; i < kSize; ++i) {
        ASSERT_NEAR(x[i], x_old[i] + a[i % kLanes] * p[i], 1e-15) << i;
        ASSERT_NEAR(r[i], r_old[i] - a[i % kLanes] * Ap[i], 1e-15) << i;
        expected[i % kLanes] += counts(i) ? r[i] * r[i] : 0.0;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(rr[lane], expected[lane], 1e-9);
    }
}

TEST_F(CgPasses, ThreadsOfAGpuDoTheSame) {
    constexpr std::int64_t kFew = 3 * 37;
    const auto p = waves<double>(kFew * kLanes, 0.1);
    const auto Ap = waves<double>(kFew * kLanes, 0.2);
    Numbers<double> x[2] = {waves<double>(kFew * kLanes, 0.3), waves<double>(kFew * kLanes, 0.3)};
    Numbers<double> r[2] = {waves<double>(kFew * kLanes, 0.4), waves<double>(kFew * kLanes, 0.4)};
    const body::Scalars<double, kLanes> a(LaneScalars{0.5, 0.0, -2.0, 1.5});
    const auto make = [&](int which) {
        return body::Update<>{a, p.data(), Ap.data(), x[which].data(), r[which].data(), 3};
    };
    SumsOf<body::Update<>> cpu{};
    LaneArray<double, kLanes> gpu[1] = {};

    reduce_cpu(kFew / 3, make(0), {}, cpu);
    for (std::int64_t i = 0; i < kFew; ++i) {
        make(1)(i, LaneArrays<kLanes>{}, gpu);
    }

    for (std::size_t i = 0; i < x[0].size(); ++i) {
        EXPECT_NEAR(x[1][i], x[0][i], 1e-15);
        EXPECT_NEAR(r[1][i], r[0][i], 1e-15);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_NEAR(gpu[0][lane], cpu[lane], 1e-12);
    }
}

}  // namespace
}  // namespace kaname::lanes::cg_passes_test
