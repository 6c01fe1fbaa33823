// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/grid_fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "solvers/base/error.hpp"

namespace kaname::earth {
namespace {

using Field = std::vector<double>;
using Mask = std::vector<unsigned char>;

/// Nodes of a grid: columns, rows.
struct Size {
    int nu, nv;
};

/// y = (shift + L) x at nodes without data, 0 at the others, where (L x)_i = sum over the grid
/// neighbours j of x_i - x_j: minus the five-point Laplacian times h^2, no flux through the edge.
void apply(Size n, double shift, const Mask& fixed, const Field& x, Field& y) {
    for (int j = 0; j < n.nv; ++j) {
        for (int i = 0; i < n.nu; ++i) {
            const std::size_t at = static_cast<std::size_t>(j) * n.nu + i;
            if (fixed[at]) {
                y[at] = 0.0;
                continue;
            }
            double sum = shift * x[at];
            sum += i > 0 ? x[at] - x[at - 1] : 0.0;
            sum += i < n.nu - 1 ? x[at] - x[at + 1] : 0.0;
            sum += j > 0 ? x[at] - x[at - n.nu] : 0.0;
            sum += j < n.nv - 1 ? x[at] - x[at + n.nu] : 0.0;
            y[at] = sum;
        }
    }
}

double dot(const Field& a, const Field& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Conjugate gradients from the given x until the residual is `tolerance` per node.
void relax(Size n, double shift, const Mask& fixed, const Field& rhs, double tolerance, Field& x) {
    Field r(x.size());
    Field q(x.size());
    apply(n, shift, fixed, x, r);
    for (std::size_t at = 0; at < x.size(); ++at) {
        r[at] = fixed[at] ? 0.0 : rhs[at] - r[at];
    }
    Field p = r;
    double rr = dot(r, r);
    const double target = tolerance * tolerance * static_cast<double>(x.size());
    for (int iteration = 0; iteration < 20 * std::max(n.nu, n.nv) && rr > target; ++iteration) {
        apply(n, shift, fixed, p, q);
        // alpha = (r, r) / (p, A p)
        const double alpha = rr / dot(p, q);
        for (std::size_t at = 0; at < x.size(); ++at) {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
        }
        const double next = dot(r, r);
        const double beta = next / rr;
        rr = next;
        for (std::size_t at = 0; at < x.size(); ++at) {
            p[at] = r[at] + beta * p[at];
        }
    }
}

/// Solves (shift + L) x = rhs with x given where fixed. The start comes from every other node's
/// problem, solved the same way but tighter: long waves cost little there.
void solve(Size n, double shift, const Mask& fixed, const Field& rhs, double tolerance, Field& x) {
    constexpr int kCoarsest = 16;
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
        solve(m, 4.0 * shift, coarse_fixed, coarse_rhs, 0.5 * tolerance, coarse_x);
        for (std::size_t at = 0; at < x.size(); ++at) {
            if (!fixed[at]) {
                x[at] = 0.0;
                for (const std::size_t parent : parents(at)) {
                    x[at] += 0.25 * coarse_x[parent];
                }
            }
        }
    }
    relax(n, shift, fixed, rhs, tolerance, x);
}

/// Difference per node along one direction on the data: central where both neighbours have data.
Field slope_on_data(Size n, std::ptrdiff_t stride, const Mask& fixed, const Field& value) {
    Field slope(value.size(), 0.0);
    for (int j = 0; j < n.nv; ++j) {
        for (int i = 0; i < n.nu; ++i) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) * n.nu + i;
            if (!fixed[at]) {
                continue;
            }
            const int along = stride == 1 ? i : j;
            const int last = (stride == 1 ? n.nu : n.nv) - 1;
            const bool before = along > 0 && fixed[at - stride];
            const bool after = along < last && fixed[at + stride];
            const double high = after ? value[at + stride] : value[at];
            const double low = before ? value[at - stride] : value[at];
            slope[at] = (high - low) / std::max(1, int(before) + int(after));
        }
    }
    return slope;
}

}  // namespace

void fill_smoothly(const PlanGrid& grid, const Mask& has_data, double decay_m, Field& value) {
    const Size n{grid.nu, grid.nv};
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
        const double shift = std::pow(grid.spacing_m / decay_m, 2);
        const Field zero(value.size(), 0.0);
        // A thousandth of the spacing in depth over the decay length is far below the data's error.
        const double slope_tolerance = 1e-4 * shift * grid.spacing_m;
        for (const int stride : {1, n.nu}) {
            Field slope = slope_on_data(n, stride, has_data, value);
            solve(n, shift, has_data, zero, slope_tolerance, slope);
            // Face from node i to j = i + stride wants u_j - u_i = (slope_i + slope_j) / 2.
            for (int row = 0; row < n.nv; ++row) {
                for (int column = 0; column < n.nu; ++column) {
                    if (stride == 1 ? column == n.nu - 1 : row == n.nv - 1) {
                        continue;
                    }
                    const std::size_t at = static_cast<std::size_t>(row) * n.nu + column;
                    const double jump = 0.5 * (slope[at] + slope[at + stride]);
                    rhs[at] -= jump;
                    rhs[at + stride] += jump;
                }
            }
        }
    }
    constexpr double kDepthTolerance_m = 0.05;
    solve(n, 0.0, has_data, rhs, kDepthTolerance_m, value);
}

void smooth_gaussian(const PlanGrid& grid, double sigma_m, Field& value) {
    if (!(sigma_m > 0.0)) {
        return;
    }
    const double sigma = sigma_m / grid.spacing_m;
    const int reach = std::max(1, static_cast<int>(std::ceil(4.0 * sigma)));
    Field weight(static_cast<std::size_t>(reach) + 1);
    double total = 0.0;
    for (int k = 0; k <= reach; ++k) {
        weight[k] = std::exp(-0.5 * (k / sigma) * (k / sigma));
        total += (k == 0 ? 1.0 : 2.0) * weight[k];
    }
    const auto mirrored = [](int i, int n) {
        const int period = 2 * (n - 1);
        i = ((i % period) + period) % period;
        return i < n ? i : period - i;
    };
    Field line(std::max(grid.nu, grid.nv));
    for (const bool rows : {true, false}) {
        const int n = rows ? grid.nu : grid.nv;
        const int lines = rows ? grid.nv : grid.nu;
        for (int fixed = 0; fixed < lines; ++fixed) {
            const auto at = [&](int i) {
                return rows ? static_cast<std::size_t>(fixed) * grid.nu + i
                            : static_cast<std::size_t>(i) * grid.nu + fixed;
            };
            for (int i = 0; i < n; ++i) {
                double sum = weight[0] * value[at(i)];
                for (int k = 1; k <= reach; ++k) {
                    sum +=
                        weight[k] * (value[at(mirrored(i - k, n))] + value[at(mirrored(i + k, n))]);
                }
                line[i] = sum / total;
            }
            for (int i = 0; i < n; ++i) {
                value[at(i)] = line[i];
            }
        }
    }
}

}  // namespace kaname::earth
