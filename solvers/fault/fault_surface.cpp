// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_surface.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::fault {
namespace {

// Sections are summed chord by chord. 1 km is well below the spacing of published interfaces.
constexpr double kSectionStep_m = 1000.0;
constexpr int kMaxSectionSteps = 20000;
constexpr double kFlatDip_rad = kDegree;

Vec3 strike_vector(double strike_rad) {
    return {std::sin(strike_rad), std::cos(strike_rad), 0.0};
}
Vec3 dip_azimuth_vector(double strike_rad) {
    return {std::cos(strike_rad), -std::sin(strike_rad), 0.0};
}

}  // namespace

PlaneFault::PlaneFault(const Vec3& top_centre, double strike_rad, double dip_rad)
    : origin_(top_centre), along_strike_(strike_vector(strike_rad)) {
    if (!(dip_rad > 0.0 && dip_rad <= std::numbers::pi / 2 + 1e-12)) {
        throw Error(ErrorCode::InvalidArgument,
                    "dip must be in (0, 90] degrees, got " + std::to_string(dip_rad / kDegree));
    }
    const Vec3 to_the_right = dip_azimuth_vector(strike_rad);
    const Vec3 up = {0.0, 0.0, 1.0};
    down_dip_ = std::cos(dip_rad) * to_the_right - std::sin(dip_rad) * up;
    normal_ = std::sin(dip_rad) * to_the_right + std::cos(dip_rad) * up;
}

FaultCoordinates PlaneFault::coordinates(const Vec3& x) const {
    return {dot(x - origin_, along_strike_), dot(x - origin_, down_dip_)};
}

Vec3 PlaneFault::point(FaultCoordinates at) const {
    return origin_ + at.s * along_strike_ + at.d * down_dip_;
}

Vec3 PlaneFault::normal(FaultCoordinates) const {
    return normal_;
}

Vec3 PlaneFault::strike_direction(FaultCoordinates, double) const {
    return along_strike_;
}

InterfaceFault::InterfaceFault(std::function<double(double x, double y)> depth_m, double origin_x,
                               double origin_y, double strike_rad)
    : depth_m_(std::move(depth_m)),
      origin_x_(origin_x),
      origin_y_(origin_y),
      strike_rad_(strike_rad) {
    if (!depth_m_) {
        throw Error(ErrorCode::InvalidArgument, "an interface fault needs a depth function");
    }
}

FaultCoordinates InterfaceFault::coordinates(const Vec3& x) const {
    const Vec3 along = strike_vector(strike_rad_);
    const Vec3 across = dip_azimuth_vector(strike_rad_);
    const Vec3 offset = {x.x - origin_x_, x.y - origin_y_, 0.0};
    const double s = dot(offset, along);
    const double reach = dot(offset, across);
    const Vec3 foot = Vec3{origin_x_, origin_y_, 0.0} + s * along;

    // d = sum over chords of sqrt(dq^2 + d(depth)^2), q the map distance across strike
    const double step = reach < 0.0 ? -kSectionStep_m : kSectionStep_m;
    const int whole_steps = static_cast<int>(std::abs(reach) / kSectionStep_m);
    double arc = 0.0;
    double q = 0.0;
    double depth = depth_m_(foot.x, foot.y);
    for (int i = 0; i <= whole_steps; ++i) {
        const double q_next = i < whole_steps ? q + step : reach;
        const Vec3 map = foot + q_next * across;
        const double depth_next = depth_m_(map.x, map.y);
        arc += std::hypot(q_next - q, depth_next - depth);
        q = q_next;
        depth = depth_next;
    }
    return {s, std::copysign(arc, reach)};
}

Vec3 InterfaceFault::point(FaultCoordinates at) const {
    const Vec3 across = dip_azimuth_vector(strike_rad_);
    const Vec3 foot = Vec3{origin_x_, origin_y_, 0.0} + at.s * strike_vector(strike_rad_);
    const auto depth_at = [&](double q) {
        const Vec3 map = foot + q * across;
        return depth_m_(map.x, map.y);
    };
    const double step = std::copysign(kSectionStep_m, at.d);
    double left = std::abs(at.d);
    double q = 0.0;
    double depth = depth_at(q);
    for (int i = 0; i < kMaxSectionSteps; ++i) {
        const double depth_next = depth_at(q + step);
        const double chord = std::hypot(step, depth_next - depth);
        if (chord >= left) {
            // Bisect the last chord, so that coordinates(point(at)) gives `at` back.
            double low = 0.0;
            double high = 1.0;
            for (int halving = 0; halving < 48; ++halving) {
                const double mid = 0.5 * (low + high);
                const double length = std::hypot(mid * step, depth_at(q + mid * step) - depth);
                (length < left ? low : high) = mid;
            }
            q += 0.5 * (low + high) * step;
            const Vec3 map = foot + q * across;
            return {map.x, map.y, -depth_at(q)};
        }
        left -= chord;
        q += step;
        depth = depth_next;
    }
    throw Error(ErrorCode::InvalidArgument, "fault coordinate d = " + std::to_string(at.d) +
                                                " m is farther than " +
                                                std::to_string(kMaxSectionSteps * kSectionStep_m) +
                                                " m from the grid's origin");
}

Vec3 InterfaceFault::normal(FaultCoordinates at) const {
    const Vec3 x = point(at);
    const double h = kSectionStep_m;
    const double slope_x = (depth_m_(x.x + h, x.y) - depth_m_(x.x - h, x.y)) / (2.0 * h);
    const double slope_y = (depth_m_(x.x, x.y + h) - depth_m_(x.x, x.y - h)) / (2.0 * h);
    return normalized({slope_x, slope_y, 1.0});
}

Vec3 InterfaceFault::strike_direction(FaultCoordinates at, double radius_m) const {
    constexpr int kRimPoints = 32;
    const double radius = radius_m > 0.0 ? radius_m : kSectionStep_m;
    const Vec3 centre = point(at);
    // Divergence theorem: the mean gradient over a disc is 1/(pi R^2) times the integral of
    // depth * outward normal along its rim.
    Vec3 gradient;
    for (int i = 0; i < kRimPoints; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kRimPoints;
        const Vec3 out = {std::cos(angle), std::sin(angle), 0.0};
        const Vec3 rim = centre + radius * out;
        gradient += (2.0 / (kRimPoints * radius) * depth_m_(rim.x, rim.y)) * out;
    }
    const double slope = norm(gradient);
    if (slope < std::tan(kFlatDip_rad)) {
        return strike_vector(strike_rad_);
    }
    return {-gradient.y / slope, gradient.x / slope, 0.0};
}

}  // namespace kaname::fault
