// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/volume_model.hpp"

#include <cstddef>

namespace kaname::earth {

SideMask VolumeModel::sides(double u, double v, double z) const {
    SideMask above = 0;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
        const HeightField& height = surfaces[k].height;
        // Most questions are far from most surfaces.
        const bool is_above = z > height.highest() || (z > height.lowest() && z > height.z(u, v));
        above |= static_cast<SideMask>(is_above) << k;
    }
    return above;
}

}  // namespace kaname::earth
