// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/block_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/quadrature.hpp"
#include "solvers/aderdg/spread_source.hpp"

namespace kaname::aderdg {
namespace {

double factorial(int n) {
    double f = 1.0;
    for (int k = 2; k <= n; ++k) {
        f *= k;
    }
    return f;
}

double multinomial(const TetIndex& a) {
    return factorial(a[0] + a[1] + a[2] + a[3]) /
           (factorial(a[0]) * factorial(a[1]) * factorial(a[2]) * factorial(a[3]));
}

template <class Point>
std::vector<std::int32_t> firsts(std::vector<Point>& points, std::int32_t n_blocks) {
    std::ranges::stable_sort(points, {}, &Point::block);
    std::vector<std::int32_t> first(static_cast<std::size_t>(n_blocks) + 1);
    for (const Point& p : points) {
        ++first[p.block + 1];
    }
    for (std::size_t k = 1; k < first.size(); ++k) {
        first[k] += first[k - 1];
    }
    return first;
}

bool has_moment(const PointSource& source) {
    return std::ranges::any_of(source.moment_nm, [](double m) { return m != 0.0; });
}

}  // namespace

std::vector<TetIndex> indices_of(int degree) {
    std::vector<TetIndex> all;
    for (int a3 = 0; a3 <= degree; ++a3) {
        for (int a2 = 0; a2 <= degree - a3; ++a2) {
            for (int a1 = 0; a1 <= degree - a3 - a2; ++a1) {
                all.push_back({degree - a1 - a2 - a3, a1, a2, a3});
            }
        }
    }
    return all;
}

std::vector<double> bernstein_at(int degree, const std::array<double, 4>& lambda) {
    std::vector<double> values;
    for (const TetIndex& a : indices_of(degree)) {
        double b = multinomial(a);
        for (int v = 0; v < 4; ++v) {
            for (int k = 0; k < a[v]; ++k) {
                b *= lambda[v];
            }
        }
        values.push_back(b);
    }
    return values;
}

std::vector<double> mass_matrix(int degree) {
    // int B_a B_b = V binom(a + b, a) / (binom(2 n, n) binom(2 n + 3, 3))
    const std::vector<TetIndex> all = indices_of(degree);
    const double binom = factorial(2 * degree) / (factorial(degree) * factorial(degree));
    const double size = (2.0 * degree + 3) * (2.0 * degree + 2) * (2.0 * degree + 1) / 6.0;
    std::vector<double> m;
    for (const TetIndex& a : all) {
        for (const TetIndex& b : all) {
            double product = 1.0;
            for (int v = 0; v < 4; ++v) {
                product *= factorial(a[v] + b[v]) / (factorial(a[v]) * factorial(b[v]));
            }
            m.push_back(product / (binom * size));
        }
    }
    return m;
}

bool BlockSource::in_step(double t_s, double step_s, int N, std::span<double> c) const {
    std::ranges::fill(c, 0.0);
    if (t_s + step_s <= from_s || t_s >= until_s) {
        return false;
    }
    const GaussRule& gauss = gauss_rule(N + 1);
    for (int n = 0; n <= N; ++n) {
        const std::vector<double>& p = legendre(n);
        double sum = 0.0;
        for (int k = 0; k <= N; ++k) {
            sum += gauss.w[k] * polynomial(p, gauss.x[k]) * rate(t_s + gauss.x[k] * step_s);
        }
        for (int k = 0; k <= n; ++k) {
            c[k] += (2 * n + 1) * sum * p[k];
        }
    }
    return true;
}

BlockPoints BlockPoints::of(const WaveModel& model, const TetTopology& topology,
                            const Layout& layout, const WavePoints& points, int order) {
    const int N = order - 1;
    std::vector<std::int64_t> slot(topology.tets.size(), -1);
    for (std::size_t s = 0; s < layout.tets.size(); ++s) {
        if (layout.tets[s] >= 0) {
            slot[layout.tets[s]] = static_cast<std::int64_t>(s);
        }
    }
    BlockPoints own;
    // More points than that are a rupture that is smooth by itself, and too many shares.
    constexpr std::ptrdiff_t kMostSpread = 2000;
    // A record for each tet and sample is kept of strains.
    constexpr std::size_t kMostMeans = 200;
    const SourceSpread spread(model, topology, order);
    const bool spreads = std::ranges::count_if(points.sources, has_moment) <= kMostSpread;
    for (std::size_t n = 0; n < points.sources.size(); ++n) {
        const PointSource& source = points.sources[n];
        std::vector<SourceShare> shares =
            spreads && has_moment(source) ? spread.of(source.at) : spread.alone(source.at);
        for (SourceShare& share : shares) {
            const std::int64_t s = slot[share.tet];
            if (s < 0) {
                continue;
            }
            BlockSource p;
            p.block = static_cast<std::int32_t>(s / layout.per_block);
            p.element = static_cast<int>(s % layout.per_block);
            p.lane = source.lane;
            p.source = static_cast<std::int64_t>(n);
            p.shape = std::move(share.shape);
            // Moments are xx, yy, zz, yz, xz, xy, stresses xx, yy, zz, xy, yz, xz.
            const auto& m = source.moment_nm;
            const double density = model.solids[model.mesh.material[share.tet]].density_kg_m3;
            p.amount = {-m[0],
                        -m[1],
                        -m[2],
                        -m[5],
                        -m[3],
                        -m[4],
                        source.force_n[0] / density,
                        source.force_n[1] / density,
                        source.force_n[2] / density};
            p.rate = source.rate;
            p.from_s = source.from_s;
            p.until_s = source.until_s;
            own.sources.push_back(std::move(p));
        }
    }
    const auto add = [&](const std::vector<PointInTet>& from, int least_degree,
                         std::vector<BlockReceiver>& to) {
        for (std::size_t k = 0; k < from.size(); ++k) {
            const std::int64_t s = slot[from[k].tet];
            if (s < 0) {
                continue;
            }
            const auto lambda = barycentric(corners_of(model, topology, from[k].tet), from[k].at_m);
            BlockReceiver r;
            r.block = static_cast<std::int32_t>(s / layout.per_block);
            r.element = static_cast<int>(s % layout.per_block);
            r.index = static_cast<std::int64_t>(k);
            for (int degree = N; degree >= least_degree; --degree) {
                const std::vector<double> b = bernstein_at(degree, lambda);
                r.values.insert(r.values.end(), b.begin(), b.end());
            }
            to.push_back(std::move(r));
        }
    };
    add(points.receivers, 0, own.receivers);
    own.asked_for.resize(points.receivers.size());
    std::iota(own.asked_for.begin(), own.asked_for.end(), std::int64_t{0});
    const bool means = points.strains.size() <= kMostMeans;
    for (std::size_t k = 0; k < points.strains.size(); ++k) {
        const PointInTet& at = points.strains[k];
        for (const SourceShare& share : means ? spread.of(at) : spread.alone(at)) {
            const auto weights = strain_weights(model.solids[model.mesh.material[share.tet]]);
            const auto half = static_cast<std::ptrdiff_t>(weights.size() / 2);
            const std::int64_t s = slot[share.tet];
            for (std::ptrdiff_t part = 0; part < 2; ++part) {
                const std::int64_t index = std::ssize(own.asked_for);
                own.asked_for.push_back(std::ssize(points.receivers) +
                                        2 * static_cast<std::int64_t>(k) + part);
                if (s < 0) {
                    continue;
                }
                BlockReceiver& r = own.receivers.emplace_back();
                r.block = static_cast<std::int32_t>(s / layout.per_block);
                r.element = static_cast<int>(s % layout.per_block);
                r.index = index;
                r.values = spread.means(share);
                r.weights.assign(weights.begin() + part * half,
                                 weights.begin() + (part + 1) * half);
            }
        }
    }
    add(points.peaks, N, own.peaks);
    own.first_source = firsts(own.sources, layout.n_blocks());
    own.first_receiver = firsts(own.receivers, layout.n_blocks());
    own.first_peak = firsts(own.peaks, layout.n_blocks());
    return own;
}

}  // namespace kaname::aderdg
