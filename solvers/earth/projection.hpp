// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

namespace kaname::earth {

struct LonLat {
    double lon_deg = 0.0;
    double lat_deg = 0.0;
};
struct MapPoint {
    double x_m = 0.0;  ///< grid east
    double y_m = 0.0;  ///< grid north
};

/// Azimuthal-equidistant projection about a centre on WGS84 (PROJ `aeqd`). Grid north differs from
/// true north away from the central meridian; `convergence` gives the difference.
/// Throws Unavailable when built without PROJ, InvalidArgument for a centre off the globe.
class Projection {
public:
    explicit Projection(LonLat centre);
    ~Projection();
    Projection(Projection&&) noexcept;
    Projection& operator=(Projection&&) noexcept;

    [[nodiscard]] MapPoint forward(LonLat place) const;
    [[nodiscard]] LonLat inverse(MapPoint point) const;
    /// Meridian convergence [rad]: direction of true north, measured clockwise from grid north.
    /// A true azimuth A has grid azimuth A + convergence.
    [[nodiscard]] double convergence(LonLat place) const;
    /// OGC WKT 2 of the projected CRS.
    [[nodiscard]] std::string wkt() const;
    [[nodiscard]] LonLat centre() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kaname::earth
