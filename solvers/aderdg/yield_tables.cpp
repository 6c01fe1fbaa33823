// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/yield_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/gauss.hpp"
#include "solvers/aderdg/non_negative_fit.hpp"

namespace kaname::aderdg {
namespace {

/// Lobatto's n + 1 nodes on [0, 1]: the ends and the roots of the derivative of Legendre's
/// polynomial, one between each two of its own.
std::vector<double> lobatto(int n) {
    if (n == 0) {
        return {0.5};
    }
    std::vector<double> derivative;
    for (int k = 1; k <= n; ++k) {
        derivative.push_back(k * legendre(n)[k]);
    }
    std::vector<double> x = {0.0};
    const std::vector<double>& roots = gauss_rule(n).x;
    for (int k = 0; k + 1 < n; ++k) {
        double low = roots[k], high = roots[k + 1];
        const bool rises = polynomial(derivative, low) < 0.0;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            ((polynomial(derivative, middle) < 0.0) == rises ? low : high) = middle;
        }
        x.push_back(0.5 * (low + high));
    }
    x.push_back(1.0);
    return x;
}

using Families = std::vector<std::vector<double>>;

/// The node of a multi-index: the mean of those of the indices without one of their numbers,
/// weighted by where the rest stands on an edge.
std::vector<double> node_of(const std::vector<int>& alpha, const Families& edges) {
    const int n = std::accumulate(alpha.begin(), alpha.end(), 0);
    const std::size_t d = alpha.size();
    if (d == 2) {
        return {edges[n][alpha[0]], edges[n][alpha[1]]};
    }
    std::vector<double> x(d);
    double sum = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
        std::vector<int> rest = alpha;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        const std::vector<double> part = node_of(rest, edges);
        const double weight = edges[n][n - alpha[i]];
        for (std::size_t j = 0; j < part.size(); ++j) {
            x[j < i ? j : j + 1] += weight * part[j];
        }
        sum += weight;
    }
    for (double& value : x) {
        value /= sum;
    }
    return x;
}

using Matrix = std::vector<std::vector<double>>;

/// Gauss and Jordan with the largest pivot of a column.
Matrix inverse_of(Matrix a) {
    const std::size_t n = a.size();
    Matrix inverse(n, std::vector<double>(n));
    for (std::size_t k = 0; k < n; ++k) {
        inverse[k][k] = 1.0;
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k; i < n; ++i) {
            best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
        }
        std::swap(a[k], a[best]);
        std::swap(inverse[k], inverse[best]);
        const double pivot = a[k][k];
        for (std::size_t j = 0; j < n; ++j) {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double f = i == k ? 0.0 : a[i][k];
            for (std::size_t j = 0; j < n && f != 0.0; ++j) {
                a[i][j] -= f * a[k][j];
                inverse[i][j] -= f * inverse[k][j];
            }
        }
    }
    return inverse;
}

SparseRows<double> sparse(const Matrix& a) {
    constexpr double kZero = 1e-11;  // rounding of the inverse; entries are of size 1e-4 and more
    SparseRows<double> rows;
    for (const std::vector<double>& row : a) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (std::abs(row[j]) > kZero) {
                rows.column.push_back(static_cast<std::uint8_t>(j));
                rows.value.push_back(row[j]);
            }
        }
        rows.first.push_back(static_cast<std::int32_t>(rows.value.size()));
    }
    return rows;
}

/// Weights w_n = 1/(2 n) + u_n, u >= 0, for which the integrals of all modes are best.
std::vector<double> mean_weights(const Matrix& values) {
    const std::size_t n = values.size();
    const double least = 0.5 / static_cast<double>(n);
    // Every mode's integral over a volume of 1 is 1/n.
    std::vector<double> missing(n, 1.0 / static_cast<double>(n));
    for (const std::vector<double>& row : values) {
        for (std::size_t k = 0; k < n; ++k) {
            missing[k] -= least * row[k];
        }
    }
    std::vector<double> weights = non_negative_fit(values, missing);
    double sum = 0.0;
    for (double& w : weights) {
        w += least;
        sum += w;
    }
    for (double& w : weights) {
        w /= sum;
    }
    return weights;
}

}  // namespace

std::vector<std::array<double, 4>> interpolation_nodes(int degree) {
    Families edges;
    for (int n = 0; n <= degree; ++n) {
        edges.push_back(lobatto(n));
    }
    std::vector<std::array<double, 4>> nodes;
    for (const TetIndex& a : indices_of(degree)) {
        const std::vector<double> x = node_of({a[0], a[1], a[2], a[3]}, edges);
        nodes.push_back({x[0], x[1], x[2], x[3]});
    }
    return nodes;
}

YieldTables::YieldTables(int degree) : nodes(interpolation_nodes(degree)) {
    const std::size_t n = nodes.size();
    Matrix values;
    for (const auto& lambda : nodes) {
        values.push_back(bernstein_at(degree, lambda));
    }
    const Matrix inverse = inverse_of(values);
    to_nodes = sparse(values);
    to_modes = sparse(inverse);
    const std::vector<double> mass = mass_matrix(degree);
    const std::vector<TetIndex> all = indices_of(degree);
    for (const TetIndex& a : all) {
        for (const int index : a) {
            vertex_share.push_back(static_cast<double>(index) / degree);
        }
    }
    times_modes.assign(n * n, 0.0);
    times_vertices.assign(n * 4, 0.0);
    for (std::size_t node = 0; node < n; ++node) {
        for (std::size_t m = 0; m < n; ++m) {
            double& product = times_modes[node * n + m];
            for (std::size_t k = 0; k < n; ++k) {
                product += inverse[k][node] * mass[k * n + m];
            }
            for (int a = 0; a < 4; ++a) {
                times_vertices[node * 4 + a] += product * vertex_share[4 * m + a];
            }
        }
    }
    mean = mean_weights(values);
}

}  // namespace kaname::aderdg
