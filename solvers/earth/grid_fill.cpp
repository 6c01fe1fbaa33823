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

constexpr double kGaussianReach = 4.0;  // standard deviations

/// Numbers of columns and rows of a grid.
struct Size {
    int nu, nv;
};

/// Slope along one direction on the data: central where both neighbours have data.
NodeValues slope_on_data(const Axes& axes, bool along_u, const NodeMask& fixed,
                         const NodeValues& value) {
    const Size n{axes.u.n(), axes.v.n()};
    const std::ptrdiff_t stride = along_u ? 1 : n.nu;
    const std::vector<double>& x = along_u ? axes.u.x : axes.v.x;
    NodeValues slope(value.size(), 0.0);
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
    const auto inside = [n](int i) {
        return static_cast<std::size_t>(i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i);
    };
    const auto place = [&](int i) {
        const double x = axis.x[inside(i)];
        return i < 0 ? 2.0 * axis.x.front() - x : i >= n ? 2.0 * axis.x.back() - x : x;
    };
    for (int to = 0; to < n; ++to) {
        const std::size_t first = weights.size();
        double total = 0.0;
        const auto add = [&](int from) {
            const double away = (place(from) - axis.x[inside(to)]) / sigma_m;
            const std::size_t node = inside(from);
            const double weight = axis.width[node] * std::exp(-0.5 * away * away);
            weights.push_back({to, static_cast<int>(node), weight});
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

void fill_smoothly(const PlanGrid& grid, const NodeMask& has_data, double decay_m,
                   NodeValues& value) {
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

    NodeValues rhs(value.size(), 0.0);
    if (decay_m > 0.0) {
        const double per_decay2 = 1.0 / (decay_m * decay_m);
        const NodeValues zero(value.size(), 0.0);
        // A thousandth of the spacing in depth over the decay length is far below the data's error.
        const double slope_tolerance = 1e-4 * per_decay2 * grid.spacing_m * grid.spacing_m;
        for (const bool along_u : {true, false}) {
            const int stride = along_u ? 1 : n.nu;
            NodeValues slope = slope_on_data(axes, along_u, has_data, value);
            solve_poisson(axes, per_decay2, has_data, zero, slope_tolerance, slope);
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
    solve_poisson(axes, 0.0, has_data, rhs, kDepthTolerance_m, value);
}

void smooth_gaussian(const PlanGrid& grid, double sigma_m, NodeValues& value) {
    if (!(sigma_m > 0.0)) {
        return;
    }
    const auto nu = static_cast<std::size_t>(grid.nu());
    const auto nv = static_cast<std::size_t>(grid.nv());
    NodeValues smooth(value.size(), 0.0);
    const std::vector<Weighted> along_u = gaussian(Axis(grid.u), sigma_m);
    for (std::size_t j = 0; j < nv; ++j) {
        for (const Weighted& w : along_u) {
            smooth[j * nu + w.to] += w.weight * value[j * nu + w.from];
        }
    }
    std::ranges::fill(value, 0.0);
    for (const Weighted& w : gaussian(Axis(grid.v), sigma_m)) {
        for (std::size_t i = 0; i < nu; ++i) {
            value[w.to * nu + i] += w.weight * smooth[w.from * nu + i];
        }
    }
}

namespace {

constexpr int kCoarsest = 8;  // fewest nodes along an axis
constexpr int kCoarsestSweeps = 10;
constexpr int kMostIterations = 200;  // a dozen is usual

double scalar_product(const NodeValues& a, const NodeValues& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The matrix on one grid, and that grid's part of the V-cycle.
class Level {
public:
    Level(Axes axes, double per_decay2, NodeMask fixed)
        : axes_(std::move(axes)),
          per_decay2_(per_decay2),
          fixed_(std::move(fixed)),
          nu_(axes_.u.x.size()),
          nv_(axes_.v.x.size()),
          per_step_u_(inverse(axes_.u.step)),
          per_step_v_(inverse(axes_.v.step)),
          factor_(std::max(nu_, nv_)),
          right_(factor_.size()) {}

    /// y = matrix x at nodes that are not fixed, 0 at the others.
    void apply(const NodeValues& x, NodeValues& y) const {
        for (std::size_t j = 0; j < nv_; ++j) {
            for (std::size_t i = 0; i < nu_; ++i) {
                const std::size_t at = j * nu_ + i;
                if (fixed_[at] != 0) {
                    y[at] = 0.0;
                    continue;
                }
                double sum = diagonal(i, j) * x[at];
                sum -= i > 0 ? along_u(i - 1, j) * x[at - 1] : 0.0;
                sum -= i + 1 < nu_ ? along_u(i, j) * x[at + 1] : 0.0;
                sum -= j > 0 ? along_v(i, j - 1) * x[at - nu_] : 0.0;
                sum -= j + 1 < nv_ ? along_v(i, j) * x[at + nu_] : 0.0;
                y[at] = sum;
            }
        }
    }

    /// One sweep over all lines along u and all along v, or the other way round and backwards:
    /// Gauss-Seidel with a whole line at a time. x is 0 at fixed nodes.
    void sweep(const NodeValues& rhs, NodeValues& x, bool forward) {
        for (const bool rows : {forward, !forward}) {
            const std::size_t lines = rows ? nv_ : nu_;
            for (std::size_t k = 0; k < lines; ++k) {
                solve_line(rhs, x, rows, forward ? k : lines - 1 - k);
            }
        }
    }

    [[nodiscard]] std::size_t nodes() const { return fixed_.size(); }
    [[nodiscard]] const Axes& axes() const { return axes_; }
    [[nodiscard]] bool fixed(std::size_t at) const { return fixed_[at] != 0; }

    /// Adds the bilinear interpolation of every other node's values, or the transpose of that.
    template <class Visit>
    void for_parents(std::size_t coarse_nu, std::size_t coarse_nv, const Visit& visit) const {
        for (std::size_t j = 0; j < nv_; ++j) {
            const std::size_t north = std::min((j + 1) / 2, coarse_nv - 1);
            for (std::size_t i = 0; i < nu_; ++i) {
                const std::size_t east = std::min((i + 1) / 2, coarse_nu - 1);
                const std::size_t at = j * nu_ + i;
                if (fixed_[at] == 0) {
                    visit(at, std::array<std::size_t, 4>{
                                  j / 2 * coarse_nu + i / 2, j / 2 * coarse_nu + east,
                                  north * coarse_nu + i / 2, north * coarse_nu + east});
                }
            }
        }
    }

    NodeValues residual, correction;  ///< what the V-cycle keeps on this level

private:
    static NodeValues inverse(NodeValues values) {
        for (double& value : values) {
            value = 1.0 / value;
        }
        return values;
    }
    /// Coefficient of the face between a node and the next one: width / distance.
    [[nodiscard]] double along_u(std::size_t i, std::size_t j) const {
        return axes_.v.width[j] * per_step_u_[i];
    }
    [[nodiscard]] double along_v(std::size_t i, std::size_t j) const {
        return axes_.u.width[i] * per_step_v_[j];
    }
    [[nodiscard]] double diagonal(std::size_t i, std::size_t j) const {
        return per_decay2_ * axes_.u.width[i] * axes_.v.width[j] +
               (i > 0 ? along_u(i - 1, j) : 0.0) + (i + 1 < nu_ ? along_u(i, j) : 0.0) +
               (j > 0 ? along_v(i, j - 1) : 0.0) + (j + 1 < nv_ ? along_v(i, j) : 0.0);
    }
    /// Solves the tridiagonal system of row or column k (Thomas).
    void solve_line(const NodeValues& rhs, NodeValues& x, bool row, std::size_t k) {
        const std::size_t n = row ? nu_ : nv_;
        const std::size_t stride = row ? 1 : nu_;
        const std::size_t across = row ? nu_ : 1;
        const std::size_t lines = row ? nv_ : nu_;
        const std::size_t first = row ? k * nu_ : k;
        for (std::size_t m = 0; m < n; ++m) {
            const std::size_t at = first + m * stride;
            const std::size_t i = row ? m : k;
            const std::size_t j = row ? k : m;
            if (fixed_[at] != 0) {
                factor_[m] = right_[m] = 0.0;
                continue;
            }
            double b = rhs[at];
            if (k > 0) {
                b += (row ? along_v(i, j - 1) : along_u(i - 1, j)) * x[at - across];
            }
            if (k + 1 < lines) {
                b += (row ? along_v(i, j) : along_u(i, j)) * x[at + across];
            }
            double pivot = diagonal(i, j);
            if (m > 0) {
                const double before = row ? along_u(i - 1, j) : along_v(i, j - 1);
                pivot -= before * factor_[m - 1];
                b += before * right_[m - 1];
            }
            const double after = m + 1 < n ? (row ? along_u(i, j) : along_v(i, j)) : 0.0;
            const double per_pivot = 1.0 / pivot;
            factor_[m] = after * per_pivot;
            right_[m] = b * per_pivot;
        }
        for (std::size_t m = n; m-- > 0;) {
            const std::size_t at = first + m * stride;
            x[at] = right_[m] + (m + 1 < n ? factor_[m] * x[at + stride] : 0.0);
        }
    }

    Axes axes_;
    double per_decay2_;
    NodeMask fixed_;
    std::size_t nu_, nv_;
    NodeValues per_step_u_, per_step_v_;
    NodeValues factor_, right_;  // elimination factors and right side of a line
};

/// Levels from the finest on, each with every other node of the one before, as long as there are
/// enough nodes and some are fixed.
std::vector<Level> make_levels(const Axes& axes, double per_decay2, const NodeMask& fixed) {
    std::vector<Level> levels;
    levels.emplace_back(axes, per_decay2, fixed);
    NodeMask mask = fixed;
    while (true) {
        const Axes& fine = levels.back().axes();
        const std::size_t nu = fine.u.x.size();
        Axes coarse{fine.u.every_other(), fine.v.every_other()};
        if (std::min(coarse.u.n(), coarse.v.n()) < kCoarsest) {
            return levels;
        }
        NodeMask every_other;
        for (std::size_t j = 0; j < coarse.v.x.size(); ++j) {
            for (std::size_t i = 0; i < coarse.u.x.size(); ++i) {
                every_other.push_back(mask[2 * j * nu + 2 * i]);
            }
        }
        if (std::ranges::find(every_other, 1) == every_other.end()) {
            return levels;
        }
        mask = every_other;
        levels.emplace_back(std::move(coarse), per_decay2, std::move(every_other));
    }
}

/// x = about the inverse of the matrix times r; symmetric. r is 0 at fixed nodes.
void cycle(std::vector<Level>& levels, std::size_t depth, const NodeValues& r, NodeValues& x) {
    Level& level = levels[depth];
    x.assign(level.nodes(), 0.0);
    if (depth + 1 == levels.size()) {
        for (int k = 0; k < kCoarsestSweeps; ++k) {
            level.sweep(r, x, true);
            level.sweep(r, x, false);
        }
        return;
    }
    level.sweep(r, x, true);
    NodeValues rest(level.nodes());
    level.apply(x, rest);
    Level& coarse = levels[depth + 1];
    coarse.residual.assign(coarse.nodes(), 0.0);
    const std::size_t nu = coarse.axes().u.x.size();
    const std::size_t nv = coarse.axes().v.x.size();
    level.for_parents(nu, nv, [&](std::size_t at, const auto& parents) {
        for (const std::size_t parent : parents) {
            coarse.residual[parent] += coarse.fixed(parent) ? 0.0 : 0.25 * (r[at] - rest[at]);
        }
    });
    cycle(levels, depth + 1, coarse.residual, coarse.correction);
    level.for_parents(nu, nv, [&](std::size_t at, const auto& parents) {
        for (const std::size_t parent : parents) {
            x[at] += 0.25 * coarse.correction[parent];
        }
    });
    level.sweep(r, x, false);
}

}  // namespace

int solve_poisson(const Axes& axes, double per_decay2, const NodeMask& fixed, const NodeValues& rhs,
                  double tolerance, NodeValues& x) {
    std::vector<Level> levels = make_levels(axes, per_decay2, fixed);
    NodeValues r(x.size()), q(x.size()), z, p;
    levels[0].apply(x, r);
    for (std::size_t at = 0; at < x.size(); ++at) {
        r[at] = fixed[at] != 0 ? 0.0 : rhs[at] - r[at];
    }
    const double target = tolerance * tolerance * static_cast<double>(x.size());
    double rz = 0.0;
    int iteration = 0;
    for (; iteration < kMostIterations && scalar_product(r, r) > target; ++iteration) {
        cycle(levels, 0, r, z);
        const double before = rz;
        rz = scalar_product(r, z);
        if (iteration == 0) {
            p = z;
        } else {
            for (std::size_t at = 0; at < x.size(); ++at) {
                p[at] = z[at] + rz / before * p[at];
            }
        }
        levels[0].apply(p, q);
        // alpha = (r, z) / (p, A p)
        const double alpha = rz / scalar_product(p, q);
        for (std::size_t at = 0; at < x.size(); ++at) {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
        }
    }
    return iteration;
}

}  // namespace kaname::earth
