// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/earth/surface_on_plan.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::earth {
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
