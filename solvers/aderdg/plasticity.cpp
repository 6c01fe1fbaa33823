// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/plasticity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "solvers/aderdg/attenuation.hpp"
#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/aderdg/quadrature.hpp"
#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

/// Shear strength of what does not yield [Pa]; its square is finite in single precision.
constexpr double kUnbreakable = 1e18;

struct Strength {
    double cohesion_pa, sine;
};

Strength strength_of(const YieldPoint& point) {
    const double cosine = 1.0 / std::hypot(1.0, point.friction);
    return {point.cohesion_pa * cosine, point.friction * cosine};
}

double margin_of(const YieldPoint& point, double least_sine, double most_sine) {
    const double* s = point.stress_pa.data();
    const double mean = kernels::mean_stress<double>(s);
    return strength_of(point).cohesion_pa - std::max(least_sine * mean, most_sine * mean) -
           std::sqrt(kernels::shear_squared<double>(s));
}

bool is_liquid(const WaveModel& model, std::int64_t tet) {
    return model.solids[model.mesh.material[tet]].mu_pa == 0.0;
}

}  // namespace

double plasticity_bytes(std::int64_t elements, Precision precision) {
    const double number = precision == Precision::Single ? 4.0 : 8.0;
    return static_cast<double>(elements) * (YieldTerms::kSize * number + Yielded::kFields * 8.0);
}

std::vector<double> yield_terms(const WaveModel& model, const TetTopology& topology,
                                std::int64_t tet) {
    std::vector<double> terms(YieldTerms::kSize);
    const std::array<Vec3, 4> corners = corners_of(model, topology, tet);
    terms[YieldTerms::kVolume] = TetShape::of(corners).volume_m3;
    if (is_liquid(model, tet)) {
        terms[YieldTerms::kMargin] = kUnbreakable;
        return terms;
    }
    std::array<YieldPoint, 4> points;
    double least = 1.0, most = 0.0;
    for (int a = 0; a < 4; ++a) {
        points[a] = model.plasticity.at(tet, corners[a]);
        double* to = terms.data() + YieldTerms::kVertices + a * YieldTerms::kVertex;
        const Strength strength = strength_of(points[a]);
        std::ranges::copy(points[a].stress_pa, to + YieldTerms::kStress);
        to[YieldTerms::kCohesion] = strength.cohesion_pa;
        to[YieldTerms::kSine] = strength.sine;
        least = std::min(least, strength.sine);
        most = std::max(most, strength.sine);
    }
    terms[YieldTerms::kLeastSine] = least;
    terms[YieldTerms::kMostSine] = most;
    terms[YieldTerms::kPerTwoMu] = 0.5 / model.solids[model.mesh.material[tet]].mu_pa;
    double margin = kUnbreakable;
    for (const YieldPoint& point : points) {
        margin = std::min(margin, margin_of(point, least, most));
    }
    terms[YieldTerms::kMargin] = margin;
    return terms;
}

double relaxing_part(const WaveModel& model, double step_s) {
    const double relaxation_s = model.plasticity.relaxation_s;
    return relaxation_s > 0.0 ? -std::expm1(-step_s / relaxation_s) : 1.0;
}

void check_plasticity(const WaveModel& model) {
    if (model.plasticity.at == nullptr) {
        return;
    }
    const auto refuse = [](std::int64_t tet, const std::string& field, double value,
                           const char* rule) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6g", value);
        throw ValidationError(
            {{"model.plasticity.at." + field,
              std::string(rule) + ", got " + text + " in tet " + std::to_string(tet)}});
    };
    parallel_for(std::ssize(model.mesh.tets), [&](std::int64_t tet) {
        for (const std::int32_t v : model.mesh.tets[tet]) {
            if (is_liquid(model, tet)) {
                continue;
            }
            const YieldPoint point = model.plasticity.at(tet, model.mesh.xyz[v]);
            if (!(point.cohesion_pa >= 0.0 && point.cohesion_pa < kUnbreakable)) {
                refuse(tet, "cohesion_pa", point.cohesion_pa, "must be 0..1e18");
            }
            if (!(point.friction >= 0.0 && std::isfinite(point.friction))) {
                refuse(tet, "friction", point.friction, "must be finite and >= 0");
            }
            for (const double s : point.stress_pa) {
                if (!std::isfinite(s)) {
                    refuse(tet, "stress_pa", s, "must be finite");
                }
            }
        }
    });
}

double yielding_volume_m3(const WaveModel& model) {
    double volume_m3 = 0.0;
    for (std::int64_t tet = 0; tet < std::ssize(model.mesh.tets) && model.plasticity.at; ++tet) {
        if (is_liquid(model, tet)) {
            continue;
        }
        const auto& v = model.mesh.tets[tet];
        const bool yields = std::ranges::any_of(v, [&](std::int32_t vertex) {
            const YieldPoint point = model.plasticity.at(tet, model.mesh.xyz[vertex]);
            const double sine = strength_of(point).sine;
            return margin_of(point, sine, sine) < 0.0;
        });
        const auto& x = model.mesh.xyz;
        volume_m3 += yields ? std::abs(det6(x[v[0]], x[v[1]], x[v[2]], x[v[3]])) / 6.0 : 0.0;
    }
    return volume_m3;
}

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
