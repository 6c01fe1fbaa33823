// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/place_on_map.hpp"

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::fault {

slip_model::PlacedModel place_on_map(const slip_model::SlipModel& model,
                                     const earth::Projection& projection) {
    if (!model.geographic) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip model '" + model.name +
                        "' is in a local frame: state its origin in the model frame");
    }
    return slip_model::place(model, [&](const slip_model::SlipPatch& patch) {
        const earth::LonLat where{patch.lon_deg, patch.lat_deg};
        const earth::MapPoint point = projection.forward(where);
        return slip_model::PatchSpot{{point.x_m, point.y_m, -patch.depth_m},
                                     projection.convergence(where)};
    });
}

slip_model::PlacedModel place_on_map(const slip_model::SlipModel& model,
                                     const earth::Projection& projection,
                                     const earth::LonLat& origin) {
    const earth::Projection local(origin);
    slip_model::SlipModel global = model;
    global.geographic = true;
    for (slip_model::SlipPatch& patch : global.patches) {
        const earth::LonLat at = local.inverse({patch.east_m, patch.north_m});
        patch.lon_deg = at.lon_deg;
        patch.lat_deg = at.lat_deg;
        // Its strike is from the frame's north, which is true at the origin alone.
        patch.strike_deg -= local.convergence(at) / kDegree;
    }
    return place_on_map(global, projection);
}

}  // namespace kaname::fault
