// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/grid_fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/earth/grid_poisson.hpp"

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

}  // namespace kaname::earth
