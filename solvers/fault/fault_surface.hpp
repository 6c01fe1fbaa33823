// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace kaname::fault
