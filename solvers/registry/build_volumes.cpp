// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/build_volumes.hpp"

#include "solvers/base/units.hpp"

namespace kaname::registry {

void build_volumes(GreensJob& job) {
    if (!job.volumes) {
        return;
    }
    earth::VolumeModelSpec spec = *job.volumes;
    spec.size_u_m = job.region.size_east_m;
    spec.size_v_m = job.region.size_north_m;
    spec.depth_m = job.region.depth_m;
    spec.azimuth_rad = job.region.azimuth_deg * kDegree;
    const earth::Projection projection({job.region.centre_lon_deg, job.region.centre_lat_deg});
    auto built = earth::build_volume_model(spec, projection);
    job.structure.materials = built.model->materials;
    job.volume_model = std::make_shared<const earth::BuiltVolumeModel>(std::move(built));
}

}  // namespace kaname::registry
