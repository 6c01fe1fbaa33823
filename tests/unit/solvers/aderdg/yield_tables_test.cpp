// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/aderdg/quadrature.hpp"

namespace kaname::aderdg::yield_tables_test {
namespace {

std::vector<double> product(const SparseRows<double>& a, const std::vector<double>& x) {
    std::vector<double> y;
    for (std::size_t row = 0; row + 1 < a.first.size(); ++row) {
        double sum = 0.0;
        for (int k = a.first[row]; k < a.first[row + 1]; ++k) {
            sum += a.value[k] * x[a.column[k]];
        }
        y.push_back(sum);
    }
    return y;
}

std::vector<double> random_numbers(int n) {
    std::mt19937 draw(n);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::vector<double> all(n);
    std::ranges::generate(all, [&] { return number(draw); });
    return all;
}

class YieldTablesOf : public testing::TestWithParam<int> {};

TEST_P(YieldTablesOf, GoToNodesAndBack) {
    const int degree = GetParam();
    const YieldTables tables(degree);
    const std::vector<double> q = random_numbers(tet_modes(degree));

    const std::vector<double> at = product(tables.to_nodes, q);
    const std::vector<double> back = product(tables.to_modes, at);

    for (std::size_t k = 0; k < q.size(); ++k) {
        const std::vector<double> b = bernstein_at(degree, tables.nodes[k]);
        EXPECT_NEAR(at[k], std::inner_product(b.begin(), b.end(), q.begin(), 0.0), 1e-12);
        EXPECT_NEAR(back[k], q[k], 1e-11);
    }
}

/// Rows of a vertex have one number, those of an edge and a face as many as modes lie on it.
TEST_P(YieldTablesOf, HaveZerosWhereFacesDoNotSeeTheInside) {
    const int degree = GetParam();
    const YieldTables tables(degree);
    const int edge = degree - 1, face = face_modes(degree) - 3 * degree;
    const int inside = tet_modes(degree) - 4 - 6 * edge - 4 * face;
    const auto most = static_cast<std::size_t>(
        4 + 6 * edge * (degree + 1) + 4 * face * face_modes(degree) + inside * tet_modes(degree));
    EXPECT_LE(tables.to_nodes.value.size(), most);
    EXPECT_LE(tables.to_modes.value.size(), most);
}

TEST_P(YieldTablesOf, InterpolateWell) {
    const int degree = GetParam();
    const YieldTables tables(degree);
    const int n = tet_modes(degree);
    double lebesgue = 1.0;
    const TetRule places(12);
    for (const TetRule::Point& p : places.points) {
        // Values of the nodes' polynomials: b^T V^-1.
        const std::vector<double> b = bernstein_at(degree, p.lambda);
        std::vector<double> values(n);
        for (int m = 0; m < n; ++m) {
            for (int k = tables.to_modes.first[m]; k < tables.to_modes.first[m + 1]; ++k) {
                values[tables.to_modes.column[k]] += b[m] * tables.to_modes.value[k];
            }
        }
        double sum = 0.0;
        for (const double v : values) {
            sum += std::abs(v);
        }
        lebesgue = std::max(lebesgue, sum);
    }
    EXPECT_LT(lebesgue, 7.1);
    RecordProperty("lebesgue", std::to_string(lebesgue));
}

TEST_P(YieldTablesOf, IntegrateProducts) {
    const int degree = GetParam(), n = tet_modes(degree);
    const YieldTables tables(degree);
    const std::vector<double> a = random_numbers(n), b = random_numbers(n + 1);
    const std::vector<double> at = product(tables.to_nodes, a);
    const std::array<double, 4> linear = {0.3, -1.2, 0.7, 2.0};
    double with_modes = 0.0, with_linear = 0.0;
    for (int node = 0; node < n; ++node) {
        for (int m = 0; m < n; ++m) {
            with_modes += at[node] * tables.times_modes[node * n + m] * b[m];
        }
        for (int v = 0; v < 4; ++v) {
            with_linear += at[node] * tables.times_vertices[node * 4 + v] * linear[v];
        }
    }
    double wanted_modes = 0.0, wanted_linear = 0.0;
    for (const TetRule::Point& p : TetRule(degree + 2).points) {
        const std::vector<double> values = bernstein_at(degree, p.lambda);
        double first = 0.0, second = 0.0, third = 0.0;
        for (int m = 0; m < n; ++m) {
            first += values[m] * a[m];
            second += values[m] * b[m];
        }
        for (int v = 0; v < 4; ++v) {
            third += p.lambda[v] * linear[v];
        }
        wanted_modes += p.weight * first * second;
        wanted_linear += p.weight * first * third;
    }
    EXPECT_NEAR(with_modes, wanted_modes, 1e-11);
    EXPECT_NEAR(with_linear, wanted_linear, 1e-11);
}

TEST_P(YieldTablesOf, WeighAllNodes) {
    const int degree = GetParam(), n = tet_modes(degree);
    const YieldTables tables(degree);
    double sum = 0.0;
    std::array<double, 4> middle{};
    for (int node = 0; node < n; ++node) {
        EXPECT_GE(tables.mean[node], 0.45 / n);
        sum += tables.mean[node];
        for (int v = 0; v < 4; ++v) {
            middle[v] += tables.mean[node] * tables.nodes[node][v];
        }
    }
    EXPECT_NEAR(sum, 1.0, 1e-13);
    for (const double m : middle) {
        EXPECT_NEAR(m, 0.25, 0.01);
    }
}

INSTANTIATE_TEST_SUITE_P(Degrees, YieldTablesOf, testing::Range(1, 7));

}  // namespace
}  // namespace kaname::aderdg::yield_tables_test
