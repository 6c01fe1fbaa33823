// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::multigrid::balanced_cells_test {
namespace {

constexpr int kMost = 12;

/// 20,000 points that get denser towards the origin: a thousand times within a tenth of the box.
std::vector<Vec3> graded_points() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<Vec3> points;
    for (int i = 0; i < 20000; ++i) {
        const auto cube = [](double t) { return t * t * t; };
        points.push_back({3e5 * cube(uniform(random)), 1e5 * cube(uniform(random)),
                          -5e4 * std::abs(cube(uniform(random)))});
    }
    return points;
}

std::vector<int> counts(const std::vector<std::int64_t>& cell) {
    std::vector<int> count(*std::ranges::max_element(cell) + 1, 0);
    for (const std::int64_t c : cell) {
        ++count[c];
    }
    return count;
}

TEST(BalancedCells, HoldAboutEightPointsHoweverDense) {
    comm::SerialComm comm;
    const std::vector<Vec3> points = graded_points();

    const auto cell = balanced_cells(points, {}, kMost, comm);

    const std::vector<int> count = counts(cell);
    EXPECT_LE(*std::ranges::max_element(count), kMost);
    EXPECT_GE(*std::ranges::min_element(count), 1);
    for (const bool near : {true, false}) {
        double n = 0.0;
        double cells = 0.0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if ((std::abs(points[i].x) < 1e4 && points[i].z > -2e3) == near) {
                n += 1.0;
                cells += 1.0 / count[cell[i]];
            }
        }
        EXPECT_GT(n, 1000.0);
        EXPECT_GT(n / cells, 5.0);
        EXPECT_LT(n / cells, 10.0);
    }
}

TEST(BalancedCells, DoNotOverlap) {
    comm::SerialComm comm;
    const std::vector<Vec3> points = graded_points();
    const auto cell = balanced_cells(points, {}, kMost, comm);

    constexpr double kFar = std::numeric_limits<double>::infinity();
    const std::vector<int> count = counts(cell);
    std::vector<Vec3> low(count.size(), {kFar, kFar, kFar});
    std::vector<Vec3> high(count.size(), {-kFar, -kFar, -kFar});
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            low[cell[i]][axis] = std::min(low[cell[i]][axis], points[i][axis]);
            high[cell[i]][axis] = std::max(high[cell[i]][axis], points[i][axis]);
        }
    }
    for (std::size_t a = 0; a < count.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            bool apart = false;
            for (int axis = 0; axis < 3; ++axis) {
                apart = apart || low[a][axis] > high[b][axis] || low[b][axis] > high[a][axis];
            }
            ASSERT_TRUE(apart) << a << " " << b;
        }
    }
}

TEST(BalancedCells, DoNotDependOnRanksOrOrder) {
    comm::SerialComm serial;
    const std::vector<Vec3> points = graded_points();
    const auto whole = balanced_cells(points, {}, kMost, serial);
    comm::run_as_threads(3, [&](comm::Comm& comm) {
        // Backwards; every tenth point is also on the next rank, which does not own it.
        std::vector<std::size_t> mine;
        std::vector<Vec3> some;
        std::vector<std::uint8_t> owned;
        for (std::size_t i = points.size(); i-- > 0;) {
            const bool own = static_cast<int>(i % 3) == comm.rank();
            if (own || (i % 10 == 0 && static_cast<int>((i + 1) % 3) == comm.rank())) {
                mine.push_back(i);
                some.push_back(points[i]);
                owned.push_back(own ? 1 : 0);
            }
        }

        const auto cell = balanced_cells(some, owned, kMost, comm);

        for (std::size_t k = 0; k < mine.size(); ++k) {
            ASSERT_EQ(cell[k], whole[mine[k]]);
        }
    });
}

TEST(BalancedCells, PointsThatCannotBeParted) {
    comm::SerialComm comm;
    std::vector<Vec3> points(30, {1.0, 2.0, 3.0});
    EXPECT_EQ(balanced_cells(points, {}, kMost, comm), std::vector<std::int64_t>(30, 0));

    points.push_back({5.0, 2.0, 3.0});  // a line: two sides of the box are zero
    std::vector<std::int64_t> two(30, 0);
    two.push_back(1);
    EXPECT_EQ(balanced_cells(points, {}, kMost, comm), two);

    EXPECT_TRUE(balanced_cells({}, {}, kMost, comm).empty());
}

}  // namespace
}  // namespace kaname::multigrid::balanced_cells_test
