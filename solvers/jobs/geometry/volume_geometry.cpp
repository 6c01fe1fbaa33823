// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/volume_geometry.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"

namespace kaname::jobs {

int VolumeGeometry::surface(const std::string& name) const {
    const auto found = std::ranges::find(model_->surfaces, name, &earth::ModelSurface::name);
    if (found == model_->surfaces.end()) {
        throw Error(ErrorCode::InvalidArgument,
                    "fault.interface.of: must name one of structure.surfaces, got '" + name + "'");
    }
    return static_cast<int>(found - model_->surfaces.begin());
}

double VolumeGeometry::slope_along(int surface, const Vec3& x, const Vec3& direction) const {
    const auto at = field(surface).slope(frame_.b(x.x, x.y), frame_.a(x.x, x.y));
    return at.dz_du * frame_.b(direction.x, direction.y) +
           at.dz_dv * frame_.a(direction.x, direction.y);
}

const earth::Material& VolumeGeometry::material(const Vec3& x) const {
    const double u = frame_.b(x.x, x.y);
    const double v = frame_.a(x.x, x.y);
    // The free surface itself is not above it.
    const double z = std::min(x.z, field(0).z(u, v));
    const earth::Volume& volume = model_->volumes[std::max(0, model_->volume_at(u, v, z))];
    return model_->materials[volume.material->material_at(u, v, z)];
}

}  // namespace kaname::jobs
