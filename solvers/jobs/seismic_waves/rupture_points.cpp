// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/seismic_waves/rupture_points.hpp"

#include "solvers/base/error.hpp"
#include "solvers/jobs/seismic_waves/seismic_model.hpp"

namespace kaname::jobs {
namespace {

slip_model::PlacedModel placed_in_model(const slip_model::SlipModel& model,
                                        const RuptureRequest& rupture,
                                        const earth::Projection& projection) {
    if (model.geographic) {
        return slip_model::place(model, projection);
    }
    if (!rupture.origin) {
        throw Error(ErrorCode::InvalidArgument,
                    "origin must be given: the file's places are in a local frame");
    }
    return slip_model::place(model, projection, *rupture.origin);
}

}  // namespace

std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                       const RuptureRequest& rupture,
                                                       const std::string& field, double spacing_m) {
    try {
        slip_model::SlipModel model = slip_model::read_slip_model(rupture.path, rupture.read);
        const earth::Projection projection(job.centre.value());
        slip_model::KinematicOptions options = rupture.options;
        options.spacing_m = options.spacing_m > 0.0 ? options.spacing_m : spacing_m;
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
        throw ValidationError(std::vector<Violation>{{field + ".rupture", error.what()}});
    }
}

}  // namespace kaname::jobs
