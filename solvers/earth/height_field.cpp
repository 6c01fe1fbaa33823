// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/height_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/earth/surface_on_plan.hpp"
#include "solvers/parallel/loops.hpp"

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

namespace {

struct Offset {
    int i, j;
    double drop_m;  ///< height of the ball's centre above its lower side
};

/// Nodes inside the ball's shadow, about nine to its radius: close enough that the lowest of them
/// leads down to the envelope.
std::vector<Offset> coarse_offsets(double radius_m, double spacing_m) {
    const int stride = std::max(1, static_cast<int>(std::lround(radius_m / (9.0 * spacing_m))));
    const int reach = static_cast<int>(radius_m / spacing_m) / stride;
    std::vector<Offset> offsets;
    for (int j = -reach; j <= reach; ++j) {
        for (int i = -reach; i <= reach; ++i) {
            const double r = std::hypot(i, j) * stride * spacing_m;
            if (r < radius_m) {
                offsets.push_back({i * stride, j * stride, std::sqrt(radius_m * radius_m - r * r)});
            }
        }
    }
    return offsets;
}

constexpr double kFinest = 1e-3;  // last step / radius: 1e-6 radii in height

/// Where the envelope's function
///   f(a, b) = base(u + a, v + b) - sqrt(T^2 - a^2 - b^2)
/// is least the ball touches the surface along its normal there:
///   (a, b) = -T grad base / sqrt(1 + |grad base|^2).
/// Goes on by that from (a, b), which gains a factor of T times the base's curvature each time;
/// nullopt where it does not go down, where the base bends about as sharply as 1/T.
std::optional<double> follow_normal(const HeightField& base, double radius_m, double u, double v,
                                    double a, double b) {
    constexpr int kMostSteps = 12;
    double lowest = std::numeric_limits<double>::infinity();
    double move_m = radius_m;
    for (int step = 0; step < kMostSteps; ++step) {
        const HeightField::Slope at = base.slope(u + a, v + b);
        const double f = at.z - std::sqrt(radius_m * radius_m - a * a - b * b);
        if (!(f <= lowest)) {
            return std::nullopt;
        }
        lowest = f;
        if (move_m < kFinest * radius_m) {
            return lowest;
        }
        const double along = -radius_m / std::sqrt(1.0 + at.dz_du * at.dz_du + at.dz_dv * at.dz_dv);
        move_m = std::hypot(along * at.dz_du - a, along * at.dz_dv - b);
        a = along * at.dz_du;
        b = along * at.dz_dv;
    }
    return std::nullopt;
}

/// Walks downhill on the envelope's function from (a, b), with steps that halve when no neighbour
/// is lower: no derivative of the second order, and every value is a point of a ball.
double walk_down(const HeightField& base, double radius_m, double u, double v, double a, double b,
                 double step_m) {
    const auto value = [&](double da, double db) {
        const double rest = radius_m * radius_m - da * da - db * db;
        return rest < 0.0 ? std::numeric_limits<double>::infinity()
                          : base.z(u + da, v + db) - std::sqrt(rest);
    };
    double lowest = value(a, b);
    while (step_m > kFinest * radius_m) {
        const double from = lowest;
        for (const auto& [x, y] : {std::pair{1.0, 0.0},
                                   {-1.0, 0.0},
                                   {0.0, 1.0},
                                   {0.0, -1.0},
                                   {0.7, 0.7},
                                   {-0.7, 0.7},
                                   {0.7, -0.7},
                                   {-0.7, -0.7}}) {
            const double there = value(a + x * step_m, b + y * step_m);
            if (there < lowest) {
                lowest = there;
                a += x * step_m;
                b += y * step_m;
                break;
            }
        }
        step_m = lowest < from ? step_m : 0.5 * step_m;
    }
    return lowest;
}

}  // namespace

std::vector<double> heights_below(const HeightField& base, double thickness_m,
                                  const HeightField::Grid& grid) {
    const double h = grid.spacing_u;
    constexpr double kEven = 1.0 / 1.2;
    const std::vector<Offset> offsets = coarse_offsets(thickness_m, h);
    const std::vector<Offset> straight_below = {{0, 0, thickness_m}};
    std::vector<double> top(static_cast<std::size_t>(grid.nu) * grid.nv);
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            top[static_cast<std::size_t>(j) * grid.nu + i] = base.z(grid.u(i), grid.v(j));
        }
    }
    const double first_step = std::min(thickness_m, std::max(h, thickness_m / 9.0)) / 2.0;
    std::vector<double> below(top.size());
    const auto find_row = [&](std::int64_t row) {
        const int j = static_cast<int>(row);
        for (int i = 0; i < grid.nu; ++i) {
            double lowest = std::numeric_limits<double>::infinity();
            Offset best{0, 0, 0.0};
            // Where nodes are farther apart surfaces are smooth: straight below is near enough.
            const bool even =
                grid.stretch_u.density(grid.u(i)) * grid.stretch_v.density(grid.v(j)) > kEven;
            for (const Offset& offset : even ? offsets : straight_below) {
                const int column = i + offset.i;
                const int other = j + offset.j;
                if (column < 0 || column >= grid.nu || other < 0 || other >= grid.nv) {
                    continue;
                }
                const double z =
                    top[static_cast<std::size_t>(other) * grid.nu + column] - offset.drop_m;
                if (z < lowest) {
                    lowest = z;
                    best = offset;
                }
            }
            const double u = grid.u(i);
            const double v = grid.v(j);
            const std::optional<double> found =
                follow_normal(base, thickness_m, u, v, best.i * h, best.j * h);
            below[static_cast<std::size_t>(j) * grid.nu + i] =
                found ? *found
                      : walk_down(base, thickness_m, u, v, best.i * h, best.j * h, first_step);
        }
    };
    parallel_for(grid.nv, find_row, 1);
    return below;
}

}  // namespace kaname::earth
