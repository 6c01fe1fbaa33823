// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/spread_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/quadrature.hpp"

namespace kaname::aderdg {
namespace {

/// Radius of the ball over the edge of elements, by order: up to 0.43 of a wavelength that they
/// resolve (wanted_elements_per_wavelength), 0.37 at order 4, so that it ends before a third of
/// the next S wavelength or so, and no more than 1.6, from where on low orders have points enough.
constexpr double kRadius[] = {1.6, 1.3, 1.2, 0.85, 0.6, 0.46};
constexpr int kBell = 2;  ///< power of 1 - s^2
/// The highest degree of the polynomials that the ball is exact for, by order: elements of low
/// orders cannot show a density that changes its sign more often.
constexpr int kMoments[] = {1, 3, 3, 5, 5, 5};

/// Powers x^a y^b z^c up to a degree.
std::vector<double> monomials(const Vec3& y, int degree) {
    std::vector<double> values;
    double x_power = 1.0;
    for (int a = 0; a <= degree; ++a, x_power *= y.x) {
        double y_power = x_power;
        for (int b = 0; a + b <= degree; ++b, y_power *= y.y) {
            double z_power = y_power;
            for (int c = 0; a + b + c <= degree; ++c, z_power *= y.z) {
                values.push_back(z_power);
            }
        }
    }
    return values;
}

bool alike(const Solid& a, const Solid& b) {
    constexpr double kAlike = 0.1;
    const auto near = [](double x, double y) {
        return std::abs(x - y) <= kAlike * std::max(std::abs(x), std::abs(y));
    };
    return near(a.mu_pa, b.mu_pa) && near(a.lambda_pa + 2.0 * a.mu_pa, b.lambda_pa + 2.0 * b.mu_pa);
}

}  // namespace

SourceSpread::SourceSpread(const WaveModel& model, const TetTopology& topology, int order)
    : model_(model), topology_(topology), degree_(order - 1), mass_(mass_matrix(order - 1)) {
    const TetRule rule(order + 3);
    projection_.resize(tet_modes(degree_));
    bernstein_.resize(static_cast<std::size_t>(order));
    for (const TetRule::Point& p : rule.points) {
        lambda_.push_back(p.lambda);
        weight_.push_back(p.weight);
        for (int degree = 0; degree <= degree_; ++degree) {
            bernstein_[degree].push_back(bernstein_at(degree, p.lambda));
        }
        const std::vector<double> of_point = solved(mass_, bernstein_[degree_].back());
        for (std::size_t m = 0; m < projection_.size(); ++m) {
            projection_[m].push_back(p.weight * of_point[m]);
        }
    }
}

double SourceSpread::radius_m(std::int64_t tet) const {
    double volume_m3 = TetShape::of(corners_of(model_, topology_, tet)).volume_m3;
    int n = 1;
    for (const TetTopology::Beyond& beyond : topology_.beyond[tet]) {
        if (beyond.tet >= 0) {
            volume_m3 += TetShape::of(corners_of(model_, topology_, beyond.tet)).volume_m3;
            ++n;
        }
    }
    return kRadius[degree_ + 1 - kLeastOrder] * std::cbrt(6.0 * std::sqrt(2.0) * volume_m3 / n);
}

std::vector<SourceSpread::Part> SourceSpread::parts_within(const PointInTet& at,
                                                           double radius_m) const {
    const auto solid_of = [&](std::int64_t tet) -> const Solid& {
        return model_.solids[model_.mesh.material[tet]];
    };
    std::vector<Part> parts;
    std::set<std::int64_t> seen = {at.tet};
    std::vector<std::int64_t> next = {at.tet};
    while (!next.empty()) {
        const std::int64_t tet = next.back();
        next.pop_back();
        const std::array<Vec3, 4> corners = corners_of(model_, topology_, tet);
        Part part{tet, TetShape::of(corners).volume_m3, {}};
        bool within = tet == at.tet;
        for (const auto& lambda : lambda_) {
            Vec3 y = -1.0 * at.at_m;
            for (int v = 0; v < 4; ++v) {
                y += lambda[v] * corners[v];
            }
            part.y.push_back((1.0 / radius_m) * y);
            within = within || norm(part.y.back()) < 1.0;
        }
        if (!within) {
            continue;
        }
        parts.push_back(std::move(part));
        for (const TetTopology::Beyond& beyond : topology_.beyond[tet]) {
            const bool open = beyond.tet >= 0 && beyond.fault_face < 0 &&
                              alike(solid_of(at.tet), solid_of(beyond.tet)) &&
                              std::ranges::none_of(topology_.beyond[beyond.tet],
                                                   &TetTopology::Beyond::conditioned);
            if (open && seen.insert(beyond.tet).second) {
                next.push_back(beyond.tet);
            }
        }
    }
    std::ranges::sort(parts, {}, &Part::tet);
    return parts;
}

std::vector<std::vector<double>> SourceSpread::densities(const std::vector<Part>& parts,
                                                         double radius_m, int degree) const {
    const std::size_t n = monomials({}, degree).size();
    const auto bell = [&](const Vec3& y) {
        const double s = 1.0 - dot(y, y);
        return s > 0.0 ? std::pow(s, kBell) : 0.0;
    };
    // int bell q_a q_b c_b = q_a(0), in radii.
    std::vector<double> gram(n * n), rhs(n);
    rhs[0] = 1.0;
    const double ball = radius_m * radius_m * radius_m;
    for (const Part& part : parts) {
        for (std::size_t q = 0; q < weight_.size(); ++q) {
            const double share = bell(part.y[q]) * weight_[q] * part.volume_m3 / ball;
            if (share == 0.0) {
                continue;
            }
            const std::vector<double> m = monomials(part.y[q], degree);
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t b = 0; b <= a; ++b) {
                    gram[a * n + b] += share * m[a] * m[b];
                }
            }
        }
    }
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            gram[b * n + a] = gram[a * n + b];
        }
    }
    const std::vector<double> c = solved(gram, rhs);
    std::vector<std::vector<double>> all;
    for (const Part& part : parts) {
        std::vector<double>& rho = all.emplace_back();
        for (const Vec3& y : part.y) {
            const double w = bell(y);
            double sum = 0.0;
            if (w > 0.0) {
                const std::vector<double> m = monomials(y, degree);
                for (std::size_t a = 0; a < n; ++a) {
                    sum += c[a] * m[a];
                }
            }
            rho.push_back(w * sum / ball);
        }
    }
    return all;
}

std::vector<SourceShare> SourceSpread::alone(const PointInTet& at) const {
    const std::array<Vec3, 4> corners = corners_of(model_, topology_, at.tet);
    SourceShare alone{at.tet, solved(mass_, bernstein_at(degree_, barycentric(corners, at.at_m)))};
    const double volume_m3 = TetShape::of(corners).volume_m3;
    for (double& v : alone.shape) {
        v /= volume_m3;
    }
    return {alone};
}

std::vector<SourceShare> SourceSpread::of(const PointInTet& at) const {
    std::vector<SourceShare> own = alone(at);
    const double radius = radius_m(at.tet);
    const std::vector<Part> parts = parts_within(at, radius);
    for (int degree = kMoments[degree_ + 1 - kLeastOrder]; degree >= 1; degree -= 2) {
        std::vector<SourceShare> shares = projected(parts, densities(parts, radius, degree));
        // Where the ball is cut off too much its density is as rough as that of one element, or no
        // number at all.
        if (square_of(shares) < square_of(own)) {
            return shares;
        }
    }
    return own;
}

std::vector<SourceShare> SourceSpread::projected(
    const std::vector<Part>& parts, const std::vector<std::vector<double>>& density) const {
    std::vector<SourceShare> shares;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        SourceShare share{parts[k].tet, {}};
        for (const std::vector<double>& row : projection_) {
            double sum = 0.0;
            for (std::size_t q = 0; q < row.size(); ++q) {
                sum += row[q] * density[k][q];
            }
            share.shape.push_back(sum);
        }
        shares.push_back(std::move(share));
    }
    return shares;
}

std::vector<double> SourceSpread::means(const SourceShare& share) const {
    const double volume_m3 = TetShape::of(corners_of(model_, topology_, share.tet)).volume_m3;
    std::vector<double> all;
    for (int degree = degree_; degree >= 0; --degree) {
        std::vector<double> sums(tet_modes(degree));
        for (std::size_t q = 0; q < weight_.size(); ++q) {
            const std::vector<double>& own = bernstein_[degree_][q];
            double density = 0.0;
            for (std::size_t k = 0; k < own.size(); ++k) {
                density += share.shape[k] * own[k];
            }
            const std::vector<double>& b = bernstein_[degree][q];
            for (std::size_t k = 0; k < b.size(); ++k) {
                sums[k] += weight_[q] * volume_m3 * density * b[k];
            }
        }
        all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
}

double SourceSpread::square_of(const std::vector<SourceShare>& shares) const {
    double sum = 0.0;
    for (const SourceShare& share : shares) {
        const std::vector<double>& c = share.shape;
        double square = 0.0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            for (std::size_t j = 0; j < c.size(); ++j) {
                square += c[i] * mass_[i * c.size() + j] * c[j];
            }
        }
        sum += square * TetShape::of(corners_of(model_, topology_, share.tet)).volume_m3;
    }
    return sum;
}

namespace {

/// Place of strain xx, yy, zz, yz, xz, xy among stresses xx, yy, zz, xy, yz, xz.
constexpr std::array<std::size_t, 6> kStress = {0, 1, 2, 4, 5, 3};

}  // namespace

std::vector<double> strain_weights(const Solid& solid) {
    double lambda_pa = solid.lambda_pa, mu_pa = solid.mu_pa;
    for (const Solid::Mechanism& m : solid.mechanisms) {
        lambda_pa -= m.lambda_pa;
        mu_pa -= m.mu_pa;
    }
    // C^-1 : s = s/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr s
    const double per_stress = 0.5 / mu_pa;
    const double per_trace = -lambda_pa / (2.0 * mu_pa * (3.0 * lambda_pa + 2.0 * mu_pa));
    const std::size_t width = 9 + 6 * solid.mechanisms.size();
    std::vector<double> weights(6 * width);
    for (std::size_t row = 0; row < 6; ++row) {
        double* to = weights.data() + row * width;
        to[kStress[row]] = per_stress;
        for (std::size_t c = 0; c < 3 && row < 3; ++c) {
            to[c] += per_trace;
        }
        for (std::size_t l = 0; l < solid.mechanisms.size(); ++l) {
            // C^-1 : C_l : theta, whose trace is scaled by the ratio of the bulk moduli.
            const Solid::Mechanism& m = solid.mechanisms[l];
            const double sheared = 2.0 * m.mu_pa * per_stress;
            const double traced =
                m.lambda_pa * per_stress + (3.0 * m.lambda_pa + 2.0 * m.mu_pa) * per_trace;
            double* theta = to + 9 + 6 * l;
            theta[kStress[row]] -= sheared / m.omega_per_s;
            for (std::size_t c = 0; c < 3 && row < 3; ++c) {
                theta[c] -= traced / m.omega_per_s;
            }
        }
    }
    return weights;
}

}  // namespace kaname::aderdg
