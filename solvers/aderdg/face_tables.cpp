// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/face_tables.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/kernels/predict_body.hpp"
#include "solvers/aderdg/quadrature.hpp"

namespace kaname::aderdg {
namespace {

double factorial_by_gamma(int n) {
    return std::tgamma(n + 1.0);
}

std::vector<FaceIndex> indices(int degree) {
    std::vector<FaceIndex> all;
    for (int b2 = 0; b2 <= degree; ++b2) {
        for (int b1 = 0; b1 <= degree - b2; ++b1) {
            all.push_back({degree - b1 - b2, b1, b2});
        }
    }
    return all;
}

}  // namespace

KeptTrace::KeptTrace(int N, int mechanisms) : N_(N), full_(mechanisms > 0), first_{0} {
    for (int i = 0; i <= (full_ ? N + 1 : N); ++i) {
        first_.push_back(first_.back() + face_modes(degree(i)));
        for (const FaceIndex& b : indices(degree(i))) {
            for (int f = 0; f < 4; ++f) {
                TetIndex a{};
                for (int v = 0, c = 0; v < 4; ++v) {
                    a[v] = v == f ? 0 : b[c++];
                }
                modes_[f].push_back(static_cast<std::uint8_t>(place_of(a)));
            }
        }
    }
}

double KeptTrace::factor(int power) const {
    return full_ ? 1.0 : kernels::taylor_factor(N_, power);
}

std::vector<double> face_bernstein_at(int degree, const std::array<double, 3>& lambda) {
    std::vector<double> values;
    for (const FaceIndex& b : indices(degree)) {
        double value = factorial_by_gamma(degree);
        for (int v = 0; v < 3; ++v) {
            value *= std::pow(lambda[v], b[v]) / factorial_by_gamma(b[v]);
        }
        values.push_back(value);
    }
    return values;
}

std::vector<double> face_mass_matrix(int degree) {
    // int B_a B_b = A binom(a + b, a)/(binom(2 n, n) binom(2 n + 2, 2))
    const std::vector<FaceIndex> all = indices(degree);
    const double binom =
        factorial_by_gamma(2 * degree) / (factorial_by_gamma(degree) * factorial_by_gamma(degree));
    const double size = (2.0 * degree + 2) * (2.0 * degree + 1) / 2.0;
    std::vector<double> m;
    for (const FaceIndex& a : all) {
        for (const FaceIndex& b : all) {
            double product = 1.0;
            for (int v = 0; v < 3; ++v) {
                product *= factorial_by_gamma(a[v] + b[v]) /
                           (factorial_by_gamma(a[v]) * factorial_by_gamma(b[v]));
            }
            m.push_back(product / (binom * size));
        }
    }
    return m;
}

rupture::FaultRule fault_rule(int N) {
    rupture::FaultRule rule;
    for (const TrianglePoint& p : triangle_points(2 * N)) {
        rule.points.push_back(p.lambda);
        rule.weights.push_back(p.weight);
    }
    const GaussRule& gauss = gauss_rule(N + 1);
    rule.times = gauss.x;
    rule.time_weights = gauss.w;
    return rule;
}

FaceTables::FaceTables(int N, int mechanisms) : kept(N, mechanisms), rule(fault_rule(N)) {
    const int padded = rule.padded(), n = rule.n_points(), modes = face_modes(N);
    values.assign(static_cast<std::size_t>(kept.numbers()) * padded, 0.0);
    projection.assign(static_cast<std::size_t>(padded) * modes, 0.0);
    const std::vector<double> mass = face_mass_matrix(N);
    for (int p = 0; p < padded; ++p) {
        const auto& lambda = rule.points[std::min(p, n - 1)];
        for (int i = 0; i < kept.powers(); ++i) {
            const std::vector<double> b = face_bernstein_at(kept.degree(i), lambda);
            for (std::size_t k = 0; k < b.size(); ++k) {
                values[(kept.first(i) + k) * padded + p] = b[k];
            }
        }
        if (p < n) {
            const std::vector<double> column = solved(mass, face_bernstein_at(N, lambda));
            for (int k = 0; k < modes; ++k) {
                projection[static_cast<std::size_t>(p) * modes + k] = rule.weights[p] * column[k];
            }
        }
    }
    for (const double x : rule.times) {
        for (int i = 0; i < kept.powers(); ++i) {
            time_factors.push_back(kept.factor(i) * std::pow(x, i));
        }
    }
}

Outflow::Outflow(const EngineSetup& setup)
    : modes_(face_modes(setup.params.order - 1)),
      lanes_(setup.lanes),
      mass_(face_mass_matrix(setup.params.order - 1)) {
    const Layout& layout = setup.layout;
    const std::vector<std::int64_t> numbers = absorbing_faces(setup.topology);
    first_.push_back(0);
    for (std::int32_t block = 0; block < layout.n_blocks(); ++block) {
        for (int e = 0; e < layout.per_block; ++e) {
            const std::int64_t tet = layout.tets[std::size_t(block) * layout.per_block + e];
            for (int f = 0; f < 4 && tet >= 0; ++f) {
                const std::int64_t number = numbers[4 * tet + f];
                if (number < 0) {
                    continue;
                }
                const TetShape shape = TetShape::of(corners_of(setup.model, setup.topology, tet));
                const Solid& solid = setup.model.solids[setup.model.mesh.material[tet]];
                Outlet& outlet = outlets_.emplace_back();
                outlet.number = number;
                outlet.record = layout.own_record(block, f, e);
                for (int d = 0; d < 3; ++d) {
                    outlet.normal[d] = shape.normal[f][d];
                }
                outlet.zp = solid.density_kg_m3 * solid.vp_m_per_s();
                outlet.zs = solid.density_kg_m3 * solid.vs_m_per_s();
                outlet.step_s = std::ldexp(setup.step_s, layout.cluster_of(block));
                outlet.area_m2 = shape.area_m2[f];
            }
        }
        first_.push_back(static_cast<std::int32_t>(outlets_.size()));
    }
}

std::vector<double> Outflow::energies(std::vector<std::int64_t>& numbers) const {
    std::vector<double> energy_j;
    for (const Outlet& outlet : outlets_) {
        numbers.push_back(outlet.number);
        energy_j.push_back(outlet.energy_j);
    }
    return energy_j;
}

void Outflow::set_energies(std::span<const double> energy_j) {
    for (Outlet& outlet : outlets_) {
        outlet.energy_j = energy_j[outlet.number];
    }
}

}  // namespace kaname::aderdg
