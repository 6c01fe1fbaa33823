// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/unit_source.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"

namespace kaname::fault {
namespace {

/// `t` counts patch lengths from the centre.
double hat_1d(Hat hat, double t) {
    t = std::abs(t);
    switch (hat) {
        case Hat::Uniform:
            // Rounding must not make the nodes on the rim, which cannot slip, part of the patch.
            return t < 0.5 - 1e-9 ? 1.0 : 0.0;
        case Hat::Bilinear:
            return std::max(0.0, 1.0 - t);
        case Hat::Bicubic:
            // Cubic B-spline with integer knots; its translates sum to 1.
            if (t < 1.0) {
                return 2.0 / 3.0 - t * t + 0.5 * t * t * t;
            }
            return t < 2.0 ? (2.0 - t) * (2.0 - t) * (2.0 - t) / 6.0 : 0.0;
    }
    throw Error(ErrorCode::Internal, "unknown hat");
}

double reach_in_lengths(Hat hat) {
    return hat == Hat::Uniform ? 0.5 : hat == Hat::Bilinear ? 1.0 : 2.0;
}

Vec3 project_to_plane(const Vec3& v, const Vec3& normal) {
    return v - dot(v, normal) * normal;
}

}  // namespace

double Patch::shape(FaultCoordinates at) const {
    const double along = (at.s - centre.s) / length_m;
    const double down = (at.d - centre.d) / width_m;
    const bool open_s = along < 0.0 ? open_start : open_end;
    const double of_s = hat_1d(open_s ? Hat::Uniform : hat, along);
    if (down < 0.0) {
        return of_s * (open_top ? 1.0 : hat_1d(hat, down));
    }
    return of_s * hat_1d(open_bottom ? Hat::Uniform : hat, down);
}

double Patch::reach_s() const {
    return reach_in_lengths(hat) * length_m;
}

double Patch::reach_d() const {
    return reach_in_lengths(hat) * width_m;
}

double Patch::area_m2(const FaultSurface& fault) const {
    // Triangles between points of the surface: on a fold of radius R the area is short by about
    // (cell / R)^2 / 24.
    constexpr int kCells = 8;
    std::array<std::array<Vec3, kCells + 1>, kCells + 1> x;
    for (int i = 0; i <= kCells; ++i) {
        for (int j = 0; j <= kCells; ++j) {
            x[i][j] = fault.point({centre.s + (static_cast<double>(i) / kCells - 0.5) * length_m,
                                   centre.d + (static_cast<double>(j) / kCells - 0.5) * width_m});
        }
    }
    double area = 0.0;
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            const Vec3 diagonal = x[i + 1][j + 1] - x[i][j];
            area += 0.5 * norm(cross(x[i + 1][j] - x[i][j], diagonal)) +
                    0.5 * norm(cross(diagonal, x[i][j + 1] - x[i][j]));
        }
    }
    return area;
}

Vec3 UnitSource::direction(const FaultSurface& fault) const {
    const double radius = 0.5 * std::max(patch.length_m, patch.width_m);
    const Vec3 normal = fault.normal(patch.centre);
    const Vec3 along_strike =
        normalized(project_to_plane(fault.strike_direction(patch.centre, radius), normal));
    const Vec3 up_dip = cross(normal, along_strike);
    return std::cos(rake_rad) * along_strike + std::sin(rake_rad) * up_dip;
}

Vec3 UnitSource::in_surface(const Vec3& direction, const Vec3& normal) const {
    const Vec3 tangent = project_to_plane(direction, normal);
    const double length = norm(tangent);
    if (length < 1e-3) {
        throw Error(ErrorCode::InvalidArgument,
                    "source " + id + ": the fault bends by 90 degrees within the patch, so its " +
                        "slip direction has no tangent there");
    }
    return (1.0 / length) * tangent;
}

Vec3 UnitSource::slip_at(const FaultSurface& fault, FaultCoordinates at) const {
    const double amount = patch.shape(at);
    return amount == 0.0 ? Vec3{} : amount * in_surface(direction(fault), fault.normal(at));
}

std::array<Vec3, 4> UnitSource::outline(const FaultSurface& fault) const {
    const double half_s = 0.5 * patch.length_m;
    const double half_d = 0.5 * patch.width_m;
    const auto corner = [&](double side_s, double side_d) {
        return fault.point({patch.centre.s + side_s * half_s, patch.centre.d + side_d * half_d});
    };
    return {corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)};
}

}  // namespace kaname::fault
