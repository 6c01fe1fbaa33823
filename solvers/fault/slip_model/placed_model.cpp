// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/placed_model.hpp"

#include <cmath>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/local_offset.hpp"

namespace kaname::slip_model {
Vec3 PlacedPatch::along_strike() const {
    return plane_axes(strike_rad, dip_rad).along_strike;
}

Vec3 PlacedPatch::down_dip() const {
    return plane_axes(strike_rad, dip_rad).down_dip;
}

Vec3 PlacedPatch::normal() const {
    return plane_axes(strike_rad, dip_rad).normal;
}

PlacedModel place(const SlipModel& model,
                  const std::function<PatchSpot(const SlipPatch& patch)>& spot_of) {
    PlacedModel placed;
    placed.patches.reserve(model.patches.size());
    // Mean convergence of a segment's patches; it varies by a degree or two over a large one.
    std::vector<double> turn(model.segments.size(), 0.0);
    std::vector<double> count(model.segments.size(), 0.0);
    for (const SlipPatch& patch : model.patches) {
        const PatchSpot spot = spot_of(patch);
        PlacedPatch out;
        out.id = patch.id;
        out.segment = patch.segment;
        out.centre = spot.centre;
        out.length_m = patch.length_m;
        out.width_m = patch.width_m;
        out.strike_rad = patch.strike_deg * kDegree + spot.convergence_rad;
        out.dip_rad = patch.dip_deg * kDegree;
        const PlaneAxes axes = plane_axes(out.strike_rad, out.dip_rad);
        const double rake = patch.rake_deg * kDegree;
        out.slip_m = (patch.slip_m * std::cos(rake)) * axes.along_strike +
                     (-patch.slip_m * std::sin(rake)) * axes.down_dip +
                     patch.opening_m * axes.normal;
        placed.patches.push_back(std::move(out));
        const auto segment = static_cast<std::size_t>(patch.segment);
        turn.at(segment) += spot.convergence_rad;
        count.at(segment) += 1.0;
    }
    for (std::size_t i = 0; i < model.segments.size(); ++i) {
        const double mean = count[i] > 0.0 ? turn[i] / count[i] : 0.0;
        placed.segments.push_back(
            {model.segments[i].strike_deg * kDegree + mean, model.segments[i].dip_deg * kDegree});
    }
    return placed;
}

PlacedModel place(const SlipModel& model, const Vec3& origin) {
    if (model.geographic) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip model '" + model.name +
                        "' is in longitude and latitude: it needs a map projection");
    }
    return place(model, [&](const SlipPatch& patch) {
        return PatchSpot{origin + Vec3{patch.east_m, patch.north_m, -patch.depth_m}, 0.0};
    });
}

}  // namespace kaname::slip_model
