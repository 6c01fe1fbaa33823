// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/quadrature.hpp"

namespace kaname::bench {
namespace {

constexpr int kPoints = 4;

/// d N_node / d L_(m+1) at the points (a, b, b, b) and permutations, with L_0 = 1 - sum.
struct Rule {
    double derivative[kPoints][10][3];
    Rule() {
        constexpr double b = 0.13819660112501051518;  // (5 - sqrt 5) / 20
        for (int point = 0; point < kPoints; ++point) {
            const auto L = [&](int v) { return v == point ? 1.0 - 3.0 * b : b; };
            for (int m = 0; m < 3; ++m) {
                const auto dL = [&](int v) { return v == m + 1 ? 1.0 : v == 0 ? -1.0 : 0.0; };
                for (int v = 0; v < 4; ++v) {
                    derivative[point][v][m] = (4.0 * L(v) - 1.0) * dL(v);
                }
                for (int e = 0; e < 6; ++e) {
                    const auto [p, q] = p2::kTet10Edges[e];
                    derivative[point][4 + e][m] = 4.0 * (L(p) * dL(q) + L(q) * dL(p));
                }
            }
        }
    }
};

void apply_element(const Rule& rule, const viscoelastic::ElementGeometry& geometry, double lam,
                   double mu, const double (&u)[10][3], double (&f)[10][3]) {
    const double weight = geometry.volume / kPoints;
    for (int point = 0; point < kPoints; ++point) {
        double dN[10][3];
        double grad[3][3] = {};
        for (int node = 0; node < 10; ++node) {
            const double* d = rule.derivative[point][node];
            for (int j = 0; j < 3; ++j) {
                dN[node][j] = d[0] * geometry.grad[0][j] + d[1] * geometry.grad[1][j] +
                              d[2] * geometry.grad[2][j];
            }
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    grad[i][j] += u[node][i] * dN[node][j];
                }
            }
        }
        const double pressure = lam * (grad[0][0] + grad[1][1] + grad[2][2]);
        double stress[3][3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j <= i; ++j) {
                stress[i][j] =
                    weight * (mu * (grad[i][j] + grad[j][i]) + (i == j ? pressure : 0.0));
                stress[j][i] = stress[i][j];
            }
        }
        for (int node = 0; node < 10; ++node) {
            for (int i = 0; i < 3; ++i) {
                f[node][i] += stress[i][0] * dN[node][0] + stress[i][1] * dN[node][1] +
                              stress[i][2] * dN[node][2];
            }
        }
    }
}

}  // namespace

void quadrature_apply(const viscoelastic::ElementData& data, std::span<const double> x,
                      std::span<double> y) {
    static const Rule rule;
#pragma omp parallel
    for (const auto& colour : data.blocks->colours) {
#pragma omp for schedule(dynamic)
        for (std::size_t b = 0; b < colour.size(); ++b) {
            for (std::int32_t elem = colour[b].begin; elem < colour[b].end; ++elem) {
                const auto& conn = data.conn[elem];
                double u[10][3];
                double f[10][3] = {};
                for (int node = 0; node < 10; ++node) {
                    for (int comp = 0; comp < 3; ++comp) {
                        u[node][comp] = x[std::size_t(conn[node]) * 3 + comp];
                    }
                }
                apply_element(rule, data.geometry[elem], data.lam[elem], data.mu[elem], u, f);
                for (int node = 0; node < 10; ++node) {
                    for (int comp = 0; comp < 3; ++comp) {
                        y[std::size_t(conn[node]) * 3 + comp] += f[node][comp];
                    }
                }
            }
        }
    }
}

}  // namespace kaname::bench
