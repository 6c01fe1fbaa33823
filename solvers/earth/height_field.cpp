// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/height_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::earth {
namespace {

using Weights = std::array<double, 4>;

/// The four cubic B-splines over a cell at 0 <= t <= 1; they sum to 1.
inline Weights weights(double t) {
    const double s = 1.0 - t;
    return {s * s * s / 6.0, (4.0 + 3.0 * t * t * (t - 2.0)) / 6.0,
            (4.0 + 3.0 * s * s * (s - 2.0)) / 6.0, t * t * t / 6.0};
}

/// Derivatives of the four B-splines; they sum to 0.
inline Weights derivatives(double t) {
    const double s = 1.0 - t;
    return {-0.5 * s * s, t * (1.5 * t - 2.0), s * (2.0 - 1.5 * s), 0.5 * t * t};
}

inline double sum(const Weights& w, const double* value) {
    return w[0] * value[0] + w[1] * value[1] + w[2] * value[2] + w[3] * value[3];
}

void check_grid(const HeightField::Grid& grid, const std::vector<double>& z) {
    const auto refuse = [](const std::string& what) {
        throw Error(ErrorCode::InvalidArgument, "height field: " + what);
    };
    if (grid.nu < 4 || grid.nv < 4) {
        refuse("needs at least 4 x 4 nodes, got " + std::to_string(grid.nu) + " x " +
               std::to_string(grid.nv));
    }
    if (!std::isfinite(grid.u0) || !std::isfinite(grid.v0) || !(grid.spacing_u > 0.0) ||
        !(grid.spacing_v > 0.0) || !std::isfinite(grid.spacing_u) ||
        !std::isfinite(grid.spacing_v)) {
        refuse("origin must be finite and spacing > 0, got spacing " +
               std::to_string(grid.spacing_u) + " and " + std::to_string(grid.spacing_v));
    }
    const std::size_t nodes = static_cast<std::size_t>(grid.nu) * grid.nv;
    if (z.size() != nodes) {
        refuse("has " + std::to_string(nodes) + " nodes but " + std::to_string(z.size()) +
               " values");
    }
    const auto bad = std::find_if(z.begin(), z.end(), [](double v) { return !std::isfinite(v); });
    if (bad != z.end()) {
        const auto at = bad - z.begin();
        refuse("value at node " + std::to_string(at % grid.nu) + ", " +
               std::to_string(at / grid.nu) + " is not finite");
    }
}

}  // namespace

HeightField::HeightField(double constant_z) : lowest_(constant_z), highest_(constant_z) {
    if (!std::isfinite(constant_z)) {
        throw Error(ErrorCode::InvalidArgument,
                    "height field: must be finite, got " + std::to_string(constant_z));
    }
}

HeightField::HeightField(const Grid& grid, const std::vector<double>& z) : grid_(grid) {
    check_grid(grid, z);
    per_u_ = 1.0 / grid.spacing_u;
    per_v_ = 1.0 / grid.spacing_v;
    const auto [low, high] = std::minmax_element(z.begin(), z.end());
    lowest_ = *low;
    highest_ = *high;

    // The nodes beyond the edge carry on linearly: c_-1 = 2 c_0 - c_1. Then the weight of c_0 is
    // 2 B0 + B1 and of c_1 B2 - B0, which is not negative inside: still no value outside the range.
    const std::ptrdiff_t width = grid.nu + 2;
    coefficients_.resize(static_cast<std::size_t>(width) * (grid.nv + 2));
    for (int j = 0; j < grid.nv; ++j) {
        double* row = &coefficients_[(j + 1) * width];
        const auto first = z.begin() + static_cast<std::ptrdiff_t>(j) * grid.nu;
        std::copy(first, first + grid.nu, row + 1);
        row[0] = 2.0 * row[1] - row[2];
        row[width - 1] = 2.0 * row[width - 2] - row[width - 3];
    }
    double* south = coefficients_.data();
    double* north = south + (grid.nv + 1) * width;
    for (std::ptrdiff_t i = 0; i < width; ++i) {
        south[i] = 2.0 * south[i + width] - south[i + 2 * width];
        north[i] = 2.0 * north[i - width] - north[i - 2 * width];
    }
}

inline HeightField::Place HeightField::place(double u, double v) const {
    const double a = (grid_.stretch_u.even(u) - grid_.u0) * per_u_;
    const double b = (grid_.stretch_v.even(v) - grid_.v0) * per_v_;
    const double in_a = std::clamp(a, 0.0, grid_.nu - 1.0);
    const double in_b = std::clamp(b, 0.0, grid_.nv - 1.0);
    const int i = std::min(static_cast<int>(in_a), grid_.nu - 2);
    const int j = std::min(static_cast<int>(in_b), grid_.nv - 2);
    return {&coefficients_[static_cast<std::size_t>(j) * (grid_.nu + 2) + i], in_a - i, in_b - j,
            a == in_a, b == in_b};
}

double HeightField::z(double u, double v) const {
    if (constant()) {
        return lowest_;
    }
    const Place at = place(u, v);
    const std::ptrdiff_t width = grid_.nu + 2;
    const Weights wu = weights(at.s);
    const Weights wv = weights(at.t);
    double z = 0.0;
    for (int row = 0; row < 4; ++row) {
        z += wv[row] * sum(wu, at.first + row * width);
    }
    return z;
}

HeightField::Slope HeightField::slope(double u, double v) const {
    if (constant()) {
        return {lowest_, 0.0, 0.0};
    }
    const Place at = place(u, v);
    const std::ptrdiff_t width = grid_.nu + 2;
    const Weights wu = weights(at.s);
    const Weights wv = weights(at.t);
    const Weights du = derivatives(at.s);
    const Weights dv = derivatives(at.t);
    Slope slope;
    for (int row = 0; row < 4; ++row) {
        const double* line = at.first + row * width;
        const double along = sum(wu, line);
        slope.z += wv[row] * along;
        slope.dz_du += wv[row] * sum(du, line);
        slope.dz_dv += dv[row] * along;
    }
    slope.dz_du = at.inside_u ? slope.dz_du * per_u_ * grid_.stretch_u.density(u) : 0.0;
    slope.dz_dv = at.inside_v ? slope.dz_dv * per_v_ * grid_.stretch_v.density(v) : 0.0;
    return slope;
}

}  // namespace kaname::earth
