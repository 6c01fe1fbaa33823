// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/grid_fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::earth {
namespace {

using Field = std::vector<double>;
using Mask = std::vector<unsigned char>;

constexpr double kGaussianReach = 4.0;  // standard deviations

/// Nodes of a grid: columns, rows.
struct Size {
    int nu, nv;
};

/// Node distances and widths along one axis of a grid: the two halves of a cell are on both sides
/// of its node.
struct Axis {
    explicit Axis(std::vector<double> places) : x(std::move(places)), width(x.size()) {
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            step.push_back(x[i + 1] - x[i]);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Whole at the ends too, as if the grid went on.
            width[i] = 0.5 * (step[i > 0 ? i - 1 : 0] + step[std::min(i, step.size() - 1)]);
        }
    }
    [[nodiscard]] int n() const { return static_cast<int>(x.size()); }
    [[nodiscard]] Axis every_other() const {
        std::vector<double> places;
        for (std::size_t i = 0; i < x.size(); i += 2) {
            places.push_back(x[i]);
        }
        return Axis(std::move(places));
    }

    std::vector<double> x, step, width;
};

struct Axes {
    Axis u, v;
    [[nodiscard]] std::size_t nodes() const { return u.x.size() * v.x.size(); }
};

/// y = (A / decay^2 + L) x at nodes without data, 0 at the others, A the area of a node's cell and
///   (L x)_i = sum over the grid neighbours j of (width of the face between) / (distance) (x_i -
///   x_j):
/// minus the Laplacian integrated over the cell, no flux through the edge. per_decay2 = decay^-2.
void apply(const Axes& axes, double per_decay2, const Mask& fixed, const Field& x, Field& y) {
    const std::size_t nu = axes.u.x.size();
    for (std::size_t j = 0; j < axes.v.x.size(); ++j) {
        for (std::size_t i = 0; i < nu; ++i) {
            const std::size_t at = j * nu + i;
            if (fixed[at]) {
                y[at] = 0.0;
                continue;
            }
            const double wu = axes.u.width[i];
            const double wv = axes.v.width[j];
            double sum = per_decay2 * wu * wv * x[at];
            sum += i > 0 ? wv / axes.u.step[i - 1] * (x[at] - x[at - 1]) : 0.0;
            sum += i + 1 < nu ? wv / axes.u.step[i] * (x[at] - x[at + 1]) : 0.0;
            sum += j > 0 ? wu / axes.v.step[j - 1] * (x[at] - x[at - nu]) : 0.0;
            sum += j + 1 < axes.v.x.size() ? wu / axes.v.step[j] * (x[at] - x[at + nu]) : 0.0;
            y[at] = sum;
        }
    }
}

/// Of the same matrix, inverted.
Field inverse_diagonal(const Axes& axes, double per_decay2) {
    const std::size_t nu = axes.u.x.size();
    Field inverse(axes.nodes());
    for (std::size_t j = 0; j < axes.v.x.size(); ++j) {
        for (std::size_t i = 0; i < nu; ++i) {
            const double wu = axes.u.width[i];
            const double wv = axes.v.width[j];
            double sum = per_decay2 * wu * wv;
            sum += i > 0 ? wv / axes.u.step[i - 1] : 0.0;
            sum += i + 1 < nu ? wv / axes.u.step[i] : 0.0;
            sum += j > 0 ? wu / axes.v.step[j - 1] : 0.0;
            sum += j + 1 < axes.v.x.size() ? wu / axes.v.step[j] : 0.0;
            inverse[j * nu + i] = 1.0 / sum;
        }
    }
    return inverse;
}

double dot(const Field& a, const Field& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Conjugate gradients, scaled by the diagonal, from the given x until the residual is `tolerance`
/// per node.
void relax(const Axes& axes, double per_decay2, const Mask& fixed, const Field& rhs,
           double tolerance, Field& x) {
    const Field scale = inverse_diagonal(axes, per_decay2);
    Field r(x.size());
    Field q(x.size());
    Field p(x.size());
    apply(axes, per_decay2, fixed, x, r);
    double rr = 0.0;
    double rz = 0.0;
    for (std::size_t at = 0; at < x.size(); ++at) {
        r[at] = fixed[at] ? 0.0 : rhs[at] - r[at];
        p[at] = scale[at] * r[at];
        rr += r[at] * r[at];
        rz += r[at] * p[at];
    }
    const double target = tolerance * tolerance * static_cast<double>(x.size());
    const int most = 20 * std::max(axes.u.n(), axes.v.n());
    for (int iteration = 0; iteration < most && rr > target; ++iteration) {
        apply(axes, per_decay2, fixed, p, q);
        // alpha = (r, z) / (p, A p)
        const double alpha = rz / dot(p, q);
        const double before = rz;
        rr = rz = 0.0;
        for (std::size_t at = 0; at < x.size(); ++at) {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
            rr += r[at] * r[at];
            rz += r[at] * r[at] * scale[at];
        }
        const double beta = rz / before;
        for (std::size_t at = 0; at < x.size(); ++at) {
            p[at] = scale[at] * r[at] + beta * p[at];
        }
    }
}

/// Solves (A / decay^2 + L) x = rhs with x given where fixed. The start comes from every other
/// node's problem, solved the same way but tighter: long waves cost little there.
void solve(const Axes& axes, double per_decay2, const Mask& fixed, const Field& rhs,
           double tolerance, Field& x) {
    constexpr int kCoarsest = 16;
    const Size n{axes.u.n(), axes.v.n()};
    const Size m{(n.nu + 1) / 2, (n.nv + 1) / 2};
    Mask coarse_fixed(static_cast<std::size_t>(m.nu) * m.nv);
    Field coarse_rhs(coarse_fixed.size());
    Field coarse_x(coarse_fixed.size());
    bool any_fixed = false;
    for (int j = 0; j < m.nv; ++j) {
        for (int i = 0; i < m.nu; ++i) {
            const std::size_t at = static_cast<std::size_t>(j) * m.nu + i;
            const std::size_t fine = static_cast<std::size_t>(2 * j) * n.nu + 2 * i;
            coarse_fixed[at] = fixed[fine];
            coarse_x[at] = x[fine];
            any_fixed = any_fixed || fixed[fine];
        }
    }
    if (std::min(m.nu, m.nv) >= kCoarsest && any_fixed) {
        // Bilinear interpolation from the coarse grid; its transpose restricts the right-hand side,
        // which keeps the total flux that leaves the data.
        const auto parents = [n, m](std::size_t at) {
            const std::size_t width = m.nu;
            const std::size_t i = at % n.nu;
            const std::size_t j = at / n.nu;
            const std::size_t east = std::min<std::size_t>((i + 1) / 2, m.nu - 1);
            const std::size_t north = std::min<std::size_t>((j + 1) / 2, m.nv - 1);
            return std::array<std::size_t, 4>{j / 2 * width + i / 2, j / 2 * width + east,
                                              north * width + i / 2, north * width + east};
        };
        for (std::size_t at = 0; at < x.size(); ++at) {
            for (const std::size_t parent : parents(at)) {
                coarse_rhs[parent] += fixed[at] ? 0.0 : 0.25 * rhs[at];
            }
        }
        solve({axes.u.every_other(), axes.v.every_other()}, per_decay2, coarse_fixed, coarse_rhs,
              0.5 * tolerance, coarse_x);
        for (std::size_t at = 0; at < x.size(); ++at) {
            if (!fixed[at]) {
                x[at] = 0.0;
                for (const std::size_t parent : parents(at)) {
                    x[at] += 0.25 * coarse_x[parent];
                }
            }
        }
    }
    relax(axes, per_decay2, fixed, rhs, tolerance, x);
}

/// Slope along one direction on the data: central where both neighbours have data.
Field slope_on_data(const Axes& axes, bool along_u, const Mask& fixed, const Field& value) {
    const Size n{axes.u.n(), axes.v.n()};
    const std::ptrdiff_t stride = along_u ? 1 : n.nu;
    const std::vector<double>& x = along_u ? axes.u.x : axes.v.x;
    Field slope(value.size(), 0.0);
    for (int j = 0; j < n.nv; ++j) {
        for (int i = 0; i < n.nu; ++i) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) * n.nu + i;
            if (!fixed[at]) {
                continue;
            }
            const int along = along_u ? i : j;
            const int last = (along_u ? n.nu : n.nv) - 1;
            const bool before = along > 0 && fixed[at - stride];
            const bool after = along < last && fixed[at + stride];
            const double high = after ? value[at + stride] : value[at];
            const double low = before ? value[at - stride] : value[at];
            if (before || after) {
                slope[at] = (high - low) / (x[along + int(after)] - x[along - int(before)]);
            }
        }
    }
    return slope;
}

struct Weighted {
    int to, from;
    double weight;
};

/// A Gaussian over the nodes of an axis, mirrored at its ends; the weights of a node sum to 1.
std::vector<Weighted> gaussian(const Axis& axis, double sigma_m) {
    const int n = axis.n();
    std::vector<Weighted> weights;
    const auto place = [&](int i) {
        return i < 0    ? 2.0 * axis.x.front() - axis.x[-i]
               : i >= n ? 2.0 * axis.x.back() - axis.x[2 * (n - 1) - i]
                        : axis.x[i];
    };
    for (int to = 0; to < n; ++to) {
        const std::size_t first = weights.size();
        double total = 0.0;
        const auto add = [&](int from) {
            const double away = (place(from) - axis.x[to]) / sigma_m;
            const int inside = from < 0 ? -from : from >= n ? 2 * (n - 1) - from : from;
            const double weight = axis.width[inside] * std::exp(-0.5 * away * away);
            weights.push_back({to, inside, weight});
            total += weight;
            return std::abs(away) < kGaussianReach;
        };
        add(to);
        for (int from = to - 1; from > -n && add(from); --from) {
        }
        for (int from = to + 1; from < 2 * n - 1 && add(from); ++from) {
        }
        for (std::size_t k = first; k < weights.size(); ++k) {
            weights[k].weight /= total;
        }
    }
    return weights;
}

}  // namespace

PlanGrid::PlanGrid(int n_u, int n_v, double spacing) : spacing_m(spacing) {
    for (int i = 0; i < n_u; ++i) {
        u.push_back(i * spacing);
    }
    for (int j = 0; j < n_v; ++j) {
        v.push_back(j * spacing);
    }
}

PlanGrid::PlanGrid(const HeightField::Grid& grid)
    : spacing_m(std::min(grid.spacing_u, grid.spacing_v)) {
    for (int i = 0; i < grid.nu; ++i) {
        u.push_back(grid.u(i));
    }
    for (int j = 0; j < grid.nv; ++j) {
        v.push_back(grid.v(j));
    }
}

void fill_smoothly(const PlanGrid& grid, const Mask& has_data, double decay_m, Field& value) {
    const Axes axes{Axis(grid.u), Axis(grid.v)};
    const Size n{grid.nu(), grid.nv()};
    const auto first = std::find(has_data.begin(), has_data.end(), 1);
    if (first == has_data.end()) {
        throw Error(ErrorCode::InvalidArgument, "no grid node has data to extend");
    }
    if (std::find(has_data.begin(), has_data.end(), 0) == has_data.end()) {
        return;
    }
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t at = 0; at < value.size(); ++at) {
        sum += has_data[at] ? value[at] : 0.0;
        count += has_data[at];
    }
    for (std::size_t at = 0; at < value.size(); ++at) {
        value[at] = has_data[at] ? value[at] : sum / static_cast<double>(count);
    }

    Field rhs(value.size(), 0.0);
    if (decay_m > 0.0) {
        const double per_decay2 = 1.0 / (decay_m * decay_m);
        const Field zero(value.size(), 0.0);
        // A thousandth of the spacing in depth over the decay length is far below the data's error.
        const double slope_tolerance = 1e-4 * per_decay2 * grid.spacing_m * grid.spacing_m;
        for (const bool along_u : {true, false}) {
            const int stride = along_u ? 1 : n.nu;
            Field slope = slope_on_data(axes, along_u, has_data, value);
            solve(axes, per_decay2, has_data, zero, slope_tolerance, slope);
            // The face from node i to j = i + stride wants the flux width (slope_i + slope_j) / 2.
            for (int row = 0; row < n.nv; ++row) {
                for (int column = 0; column < n.nu; ++column) {
                    if (along_u ? column == n.nu - 1 : row == n.nv - 1) {
                        continue;
                    }
                    const std::size_t at = static_cast<std::size_t>(row) * n.nu + column;
                    const double width = along_u ? axes.v.width[row] : axes.u.width[column];
                    const double jump = 0.5 * width * (slope[at] + slope[at + stride]);
                    rhs[at] -= jump;
                    rhs[at + stride] += jump;
                }
            }
        }
    }
    constexpr double kDepthTolerance_m = 0.05;
    solve(axes, 0.0, has_data, rhs, kDepthTolerance_m, value);
}

void smooth_gaussian(const PlanGrid& grid, double sigma_m, Field& value) {
    if (!(sigma_m > 0.0)) {
        return;
    }
    const int nu = grid.nu();
    const int nv = grid.nv();
    for (const bool rows : {true, false}) {
        const std::vector<Weighted> weights = gaussian(Axis(rows ? grid.u : grid.v), sigma_m);
        const int n = rows ? nu : nv;
        Field line(static_cast<std::size_t>(n));
        for (int fixed = 0; fixed < (rows ? nv : nu); ++fixed) {
            const auto at = [&](int i) {
                return rows ? static_cast<std::size_t>(fixed) * nu + i
                            : static_cast<std::size_t>(i) * nu + fixed;
            };
            std::ranges::fill(line, 0.0);
            for (const Weighted& w : weights) {
                line[w.to] += w.weight * value[at(w.from)];
            }
            for (int i = 0; i < n; ++i) {
                value[at(i)] = line[i];
            }
        }
    }
}

}  // namespace kaname::earth
