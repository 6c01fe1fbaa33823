// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/rupture_points.hpp"

#include "solvers/base/error.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"

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

std::vector<slip_model::KinematicPoint> patch_points(const PatchRequest& patch,
                                                     const earth::Projection& projection,
                                                     double spacing_m) {
    const slip_model::SlipModel model = model_of_patch(patch);
    slip_model::PlacedModel placed = fault::place_on_map(model, projection);
    slip_model::PlacedPatch& where = placed.patches[0];
    where.centre += patch.along_m * where.along_strike();
    where.centre += patch.down_m * where.down_dip();
    slip_model::KinematicOptions options;
    options.spacing_m = spacing_m;
    auto points = slip_model::kinematic_sources(
        model, placed, [](const Vec3&) { return 1.0; }, options);
    for (slip_model::KinematicPoint& point : points) {
        point.rate = patch.time;
    }
    return points;
}

}  // namespace

std::string rupture_field(const SeismicJob::Source& source) {
    return source.rupture->patch ? source.field : source.field + ".rupture";
}

std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                       const RuptureRequest& rupture,
                                                       const std::string& field, double spacing_m) {
    try {
        const earth::Projection projection(job.centre.value());
        slip_model::KinematicOptions options = rupture.options;
        options.spacing_m = options.spacing_m > 0.0 ? options.spacing_m : spacing_m;
        if (rupture.patch) {
            return patch_points(*rupture.patch, projection, options.spacing_m);
        }
        slip_model::SlipModel model = slip_model::read_slip_model(rupture.path, rupture.read);
        if (rupture.hypocentre) {
            options.hypocentre_m =
                wanted_place(job, *rupture.hypocentre, "the hypocentre", field).at_m;
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

}  // namespace kaname::jobs
