// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/projection.hpp"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/p2/predictors/history.hpp"

namespace kaname::predictors::projection_test {
namespace {

constexpr int kNodes = 60;
constexpr int kModes = 4;
constexpr int kSteps = 9;
using lanes::kLanes;

/// K = diag(1 .. 10), so that images are known.
device::Buffer<double> image(const device::Buffer<double>& u) {
    device::Buffer<double> f(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
        f[i] = (1.0 + static_cast<double>(i / kLanes % 10)) * u[i];
    }
    return f;
}

std::vector<std::int64_t> node_ids() {
    std::vector<std::int64_t> ids(kNodes);
    std::iota(ids.begin(), ids.end(), 100);
    return ids;
}

class ProjectionOnRelaxation : public testing::Test {
protected:
    void feed(Projection& projection, int n, double noise = 0.0) {
        for (int step = 0; step < n; ++step) {
            device::Buffer<double> du = relaxation.increment(step);
            const device::Buffer<double> f = image(du);
            for (std::size_t i = 0; i < du.size(); ++i) {
                du[i] += noise * std::sin(91.7 * static_cast<double>(i + step));
            }
            device::Buffer<double> r = image(du);
            for (std::size_t i = 0; i < r.size(); ++i) {
                r[i] = f[i] - r[i];
            }
            projection.push(du, f, r, queue);
        }
    }
    device::Buffer<double> start(Projection& projection, const device::Buffer<double>& f) {
        device::Buffer<double> du(f.size());
        du.fill(99.0);
        projection.predict(du, f, queue);
        return du;
    }
    Relaxation relaxation{kNodes, kModes};
    std::vector<std::int64_t> ids = node_ids();
    comm::SerialComm comm;
    device::Queue queue;
};

TEST_F(ProjectionOnRelaxation, FindsASolutionInTheSpanOfTheHistory) {
    Projection projection(ids, {}, {}, comm, queue);
    feed(projection, kSteps);
    const auto exact = relaxation.increment(kSteps + 7);  // not the next one: no extrapolation

    const auto du = start(projection, image(exact));

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_LT(difference(du, exact, lane), 1e-5);
    }
}

TEST_F(ProjectionOnRelaxation, KnowsThatTheHistoryIsNotExact) {
    constexpr double kNoise = 1e-3;
    Projection projection(ids, {}, {}, comm, queue);
    feed(projection, kSteps, kNoise);
    Projection misled(ids, {}, {}, comm, queue);
    for (int step = 0; step < kSteps; ++step) {  // the same, told that it solved exactly
        device::Buffer<double> du = relaxation.increment(step);
        const device::Buffer<double> f = image(du);
        for (std::size_t i = 0; i < du.size(); ++i) {
            du[i] += kNoise * std::sin(91.7 * static_cast<double>(i + step));
        }
        misled.push(du, f, device::Buffer<double>(du.size()), queue);
    }
    const auto exact = relaxation.increment(kSteps);
    const auto f = image(exact);

    const double informed = difference(image(start(projection, f)), f, 0);
    const double uninformed = difference(image(start(misled, f)), f, 0);

    EXPECT_LT(informed, 0.5 * uninformed);
}

TEST_F(ProjectionOnRelaxation, OneAndTwoIncrementsAreUsedToo) {
    for (const int n : {0, 1, 2}) {
        Projection projection(ids, {}, {}, comm, queue);
        feed(projection, n);
        const auto exact = relaxation.increment(n > 0 ? n - 1 : 0);
        const auto du = start(projection, image(exact));
        EXPECT_NEAR(difference(du, exact, 3), n == 0 ? 1.0 : 0.0, 1e-12) << n;
    }
}

TEST_F(ProjectionOnRelaxation, TheLoadOfAStepIsReadOnce) {
    Projection projection(ids, {}, {}, comm, queue);
    Projection told_again(ids, {}, {}, comm, queue);
    feed(projection, kSteps);
    feed(told_again, kSteps);
    const auto du = relaxation.increment(kSteps);
    device::Buffer<double> f = image(du);
    const device::Buffer<double> r(f.size());
    (void)start(projection, f);
    told_again.push(du, f, r, queue);
    f.fill(std::numeric_limits<double>::quiet_NaN());  // a second reading would see this

    projection.push(du, f, r, queue);

    const auto next = image(relaxation.increment(kSteps + 1));
    const auto once = start(projection, next);
    const auto twice = start(told_again, next);
    for (std::size_t i = 0; i < once.size(); ++i) {
        ASSERT_EQ(once[i], twice[i]) << i;
    }
}

TEST_F(ProjectionOnRelaxation, ALoadOfOtherMemoryIsReadAgain) {
    Projection projection(ids, {}, {}, comm, queue);
    Projection plain(ids, {}, {}, comm, queue);
    feed(projection, kSteps);
    feed(plain, kSteps);
    const auto du = relaxation.increment(kSteps);
    const auto f = image(du);
    const auto other = image(relaxation.increment(kSteps + 5));
    const device::Buffer<double> r(f.size());
    (void)start(projection, other);

    projection.push(du, f, r, queue);
    plain.push(du, f, r, queue);

    const auto next = image(relaxation.increment(kSteps + 1));
    const auto a = start(projection, next);
    const auto b = start(plain, next);
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i], b[i]) << i;
    }
}

TEST_F(ProjectionOnRelaxation, ZeroLaneForgetsThatLaneOnly) {
    Projection projection(ids, {}, {}, comm, queue);
    Projection whole(ids, {}, {}, comm, queue);
    feed(projection, kSteps);
    feed(whole, kSteps);
    projection.zero_lane(1, queue);
    const auto f = image(relaxation.increment(kSteps));

    const auto du = start(projection, f);
    const auto all = start(whole, f);

    for (std::size_t i = 0; i < du.size(); ++i) {
        ASSERT_EQ(du[i], i % kLanes == 1 ? 0.0 : all[i]) << i;
    }
}

TEST_F(ProjectionOnRelaxation, ClearForgetsEverything) {
    Projection projection(ids, {}, {}, comm, queue);
    feed(projection, kSteps);
    projection.clear();

    const auto du = start(projection, image(relaxation.increment(1)));

    for (std::size_t i = 0; i < du.size(); ++i) {
        ASSERT_EQ(du[i], 0.0);
    }
}

TEST_F(ProjectionOnRelaxation, NodesOfOtherRanksCountOnce) {
    Projection whole(ids, {}, {}, comm, queue);
    feed(whole, kSteps);
    const auto f = image(relaxation.increment(kSteps));
    const auto expected = start(whole, f);

    comm::run_as_threads(2, [&](comm::Comm& rank) {
        // Both ranks hold all nodes; each owns one half.
        std::vector<std::uint8_t> owned(kNodes, 0);
        std::fill_n(owned.begin() + rank.rank() * kNodes / 2, kNodes / 2, 1);
        Projection part(ids, owned, {}, rank, queue);
        feed(part, kSteps);
        const auto du = start(part, f);
        for (std::size_t i = 0; i < du.size(); ++i) {
            EXPECT_NEAR(du[i], expected[i], 1e-9);
        }
    });
}

}  // namespace
}  // namespace kaname::predictors::projection_test
