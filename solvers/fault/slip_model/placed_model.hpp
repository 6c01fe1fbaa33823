// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

/// A patch in the model frame (x east, y north, z up, metres).
struct PlacedPatch {
    std::string id;
    int segment = 0;
    Vec3 centre;
    double length_m = 0.0;
    double width_m = 0.0;
    double strike_rad = 0.0;  ///< grid azimuth: true strike + meridian convergence
    double dip_rad = 0.0;
    Vec3 slip_m;  ///< displacement of the hanging wall relative to the footwall, with opening

    [[nodiscard]] double area_m2() const { return length_m * width_m; }
    [[nodiscard]] Vec3 along_strike() const;  ///< unit
    [[nodiscard]] Vec3 down_dip() const;      ///< unit
    [[nodiscard]] Vec3 normal() const;        ///< unit, into the hanging wall
};

struct PlacedSegment {
    double strike_rad = 0.0;  ///< grid azimuth
    double dip_rad = 0.0;
};

struct PlacedModel {
    std::vector<PlacedPatch> patches;
    std::vector<PlacedSegment> segments;
};

/// Where a patch's centre is in the model frame, and what turns its strike into a grid azimuth.
struct PatchSpot {
    Vec3 centre;
    double convergence_rad = 0.0;
};
[[nodiscard]] PlacedModel place(const SlipModel& model,
                                const std::function<PatchSpot(const SlipPatch& patch)>& spot_of);

/// A model in a local frame, whose origin lies at `origin` of the model frame and whose north is
/// grid north. Throws InvalidArgument for a model in longitude and latitude.
[[nodiscard]] PlacedModel place(const SlipModel& model, const Vec3& origin);

}  // namespace kaname::slip_model
