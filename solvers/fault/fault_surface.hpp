// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>

#include "solvers/base/vec3.hpp"

namespace kaname::fault {

struct FaultCoordinates {
    double s = 0.0;  ///< along strike [m]
    double d = 0.0;  ///< down dip, measured on the fault [m]
};

/// Curvilinear coordinates on a fault surface in the model frame.
class FaultSurface {
public:
    virtual ~FaultSurface() = default;
    [[nodiscard]] virtual FaultCoordinates coordinates(const Vec3& x) const = 0;
    [[nodiscard]] virtual Vec3 point(FaultCoordinates at) const = 0;
    /// Unit normal that points into the hanging wall (up for dip < 90 degrees, to the right of
    /// strike for dip = 90).
    [[nodiscard]] virtual Vec3 normal(FaultCoordinates at) const = 0;
    /// Unit vector along strike (fault dips to its right), averaged over `radius_m` of the surface.
    [[nodiscard]] virtual Vec3 strike_direction(FaultCoordinates at, double radius_m) const = 0;
};

/// Rectangle's plane: s from the centre of the top edge, d from the top edge. Azimuths are grid
/// azimuths [rad] (true strike + meridian convergence).
class PlaneFault final : public FaultSurface {
public:
    PlaneFault(const Vec3& top_centre, double strike_rad, double dip_rad);
    [[nodiscard]] FaultCoordinates coordinates(const Vec3& x) const override;
    [[nodiscard]] Vec3 point(FaultCoordinates at) const override;
    [[nodiscard]] Vec3 normal(FaultCoordinates at) const override;
    [[nodiscard]] Vec3 strike_direction(FaultCoordinates at, double radius_m) const override;

    [[nodiscard]] Vec3 along_strike() const { return along_strike_; }
    [[nodiscard]] Vec3 down_dip() const { return down_dip_; }

private:
    Vec3 origin_;
    Vec3 along_strike_;
    Vec3 down_dip_;
    Vec3 normal_;
};

/// Single-valued interface z = -depth(x, y): s is the map distance along the grid's strike from
/// its origin, d the arc length of the vertical section through s, from the origin's line d = 0.
class InterfaceFault final : public FaultSurface {
public:
    InterfaceFault(std::function<double(double x, double y)> depth_m, double origin_x,
                   double origin_y, double strike_rad);
    [[nodiscard]] FaultCoordinates coordinates(const Vec3& x) const override;
    [[nodiscard]] Vec3 point(FaultCoordinates at) const override;
    [[nodiscard]] Vec3 normal(FaultCoordinates at) const override;
    /// Horizontal, perpendicular to the mean gradient; the grid's strike where the mean dip is
    /// below one degree (the gradient's direction is noise there).
    [[nodiscard]] Vec3 strike_direction(FaultCoordinates at, double radius_m) const override;

private:
    std::function<double(double, double)> depth_m_;
    double origin_x_;
    double origin_y_;
    double strike_rad_;
};

/// A point of a triangle: barycentric coordinates of its second and third vertex, part of the area.
struct TrianglePoint {
    double l1, l2, weight;
};

namespace triangle_rule {
inline constexpr double kRoot = 3.872983346207417;  // sqrt(15)
inline constexpr double kA = (6.0 - kRoot) / 21.0, kB = (6.0 + kRoot) / 21.0;
inline constexpr double kWeightA = (155.0 - kRoot) / 1200.0, kWeightB = (155.0 + kRoot) / 1200.0;
}  // namespace triangle_rule

/// Exact to degree five: Radon (1948).
inline constexpr std::array<TrianglePoint, 7> kTriangleRule = {{
    {1.0 / 3.0, 1.0 / 3.0, 9.0 / 40.0},
    {triangle_rule::kA, triangle_rule::kA, triangle_rule::kWeightA},
    {1.0 - 2.0 * triangle_rule::kA, triangle_rule::kA, triangle_rule::kWeightA},
    {triangle_rule::kA, 1.0 - 2.0 * triangle_rule::kA, triangle_rule::kWeightA},
    {triangle_rule::kB, triangle_rule::kB, triangle_rule::kWeightB},
    {1.0 - 2.0 * triangle_rule::kB, triangle_rule::kB, triangle_rule::kWeightB},
    {triangle_rule::kB, 1.0 - 2.0 * triangle_rule::kB, triangle_rule::kWeightB},
}};

}  // namespace kaname::fault
