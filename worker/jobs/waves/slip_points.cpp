// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/waves/slip_points.hpp"

#include <algorithm>
#include <iterator>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/fault/place_on_map.hpp"

namespace kaname::jobs {
namespace {

slip_model::PlacedModel placed_in_model(const slip_model::SlipModel& model,
                                        const RuptureRequest& rupture,
                                        const earth::Projection& projection) {
    if (model.geographic) {
        return fault::place_on_map(model, projection);
    }
    if (!rupture.origin) {
        throw Error(ErrorCode::InvalidArgument,
                    "origin must be given: the file's places are in a local frame");
    }
    return fault::place_on_map(model, projection, *rupture.origin);
}

/// The patch at the place that it is named by; a rise time is needed and not used.
slip_model::SlipModel model_of_patch(const PatchRequest& patch) {
    slip_model::SlipModel model;
    model.segments = {{patch.strike_deg, patch.dip_deg}};
    slip_model::SlipPatch& p = model.patches.emplace_back();
    p.id = "0";
    p.lon_deg = patch.place.lon_deg;
    p.lat_deg = patch.place.lat_deg;
    p.depth_m = patch.depth_m;
    p.length_m = patch.length_m;
    p.width_m = patch.width_m;
    p.strike_deg = patch.strike_deg;
    p.dip_deg = patch.dip_deg;
    p.rake_deg = patch.rake_deg;
    p.slip_m = patch.slip_m;
    p.rupture_time_s = 0.0;
    p.rise_time_s = 1.0;
    return model;
}

slip_model::PlacedModel placed_patch(const PatchRequest& patch,
                                     const earth::Projection& projection) {
    slip_model::PlacedModel placed = fault::place_on_map(model_of_patch(patch), projection);
    slip_model::PlacedPatch& where = placed.patches[0];
    where.centre += patch.along_m * where.along_strike();
    where.centre += patch.down_m * where.down_dip();
    return placed;
}

Vec3 place_in_frame(const WavePlace& place, const earth::Projection& projection) {
    if (!place.globe) {
        return {place.xyz_m[0], place.xyz_m[1], place.xyz_m[2]};
    }
    const earth::MapPoint point = projection.forward(*place.globe);
    return {point.x_m, point.y_m, -place.depth_m.value_or(0.0)};
}

std::vector<slip_model::KinematicPoint> patch_points(const PatchRequest& patch,
                                                     const earth::Projection& projection,
                                                     double spacing_m) {
    slip_model::KinematicOptions options;
    options.spacing_m = spacing_m;
    auto points = slip_model::kinematic_sources(
        model_of_patch(patch), placed_patch(patch, projection), [](const Vec3&) { return 1.0; },
        options);
    for (slip_model::KinematicPoint& point : points) {
        point.rate = patch.time;
    }
    return points;
}

}  // namespace

std::vector<std::array<Vec3, 4>> patch_corners(const RuptureRequest& rupture,
                                               const earth::Projection& projection) {
    std::vector<std::array<Vec3, 4>> corners;
    for (const PatchRequest& patch : rupture.patches) {
        const slip_model::PlacedModel placed = placed_patch(patch, projection);
        const slip_model::PlacedPatch& where = placed.patches[0];
        const Vec3 along = 0.5 * where.length_m * where.along_strike();
        const Vec3 down = 0.5 * where.width_m * where.down_dip();
        corners.push_back({where.centre - along - down, where.centre + along - down,
                           where.centre - along + down, where.centre + along + down});
    }
    return corners;
}

std::vector<slip_model::KinematicPoint> rupture_points(const RuptureRequest& rupture,
                                                       const earth::Projection& projection,
                                                       const std::string& field, double spacing_m) {
    try {
        slip_model::KinematicOptions options = rupture.options;
        options.spacing_m = options.spacing_m > 0.0 ? options.spacing_m : spacing_m;
        std::vector<slip_model::KinematicPoint> of_patches;
        for (const PatchRequest& patch : rupture.patches) {
            std::ranges::move(patch_points(patch, projection, options.spacing_m),
                              std::back_inserter(of_patches));
        }
        if (!rupture.patches.empty()) {
            return of_patches;
        }
        slip_model::SlipModel model = slip_model::read_slip_model(rupture.path, rupture.read);
        if (rupture.hypocentre) {
            options.hypocentre_m = place_in_frame(*rupture.hypocentre, projection);
        } else if (options.rupture_velocity_m_per_s && model.hypocentre) {
            const earth::MapPoint at =
                projection.forward({model.hypocentre->lon_deg, model.hypocentre->lat_deg});
            options.hypocentre_m = Vec3{at.x_m, at.y_m, -model.hypocentre->depth_m};
        }
        std::vector<slip_model::KinematicPoint> points = slip_model::kinematic_sources(
            model, placed_in_model(model, rupture, projection), [](const Vec3&) { return 1.0; },
            options);
        for (slip_model::KinematicPoint& point : points) {
            for (double& moment : point.moment_nm) {
                moment *= rupture.scale;
            }
        }
        return points;
    } catch (const ValidationError&) {
        throw;
    } catch (const Error& error) {
        throw ValidationError(std::vector<Violation>{{field, error.what()}});
    }
}

std::string moment_note(const std::string& id, std::size_t points, double moment_nm) {
    return "source " + id + ": " + std::to_string(points) + " points, Mw " +
           formatted("%.2f", slip_model::moment_magnitude(moment_nm)) + ", " +
           formatted("%.4g N m", moment_nm);
}

}  // namespace kaname::jobs
