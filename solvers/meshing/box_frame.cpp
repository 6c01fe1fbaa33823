// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/box_frame.hpp"

#include "solvers/meshing/require.hpp"

namespace kaname::meshing {

void check_box(const Box& box) {
    require_length("box.size_east_m", box.size_east_m);
    require_length("box.size_north_m", box.size_north_m);
    require_length("box.depth_m", box.depth_m);
    require(std::isfinite(box.azimuth_rad), "box.azimuth_rad", "finite", box.azimuth_rad);
}

}  // namespace kaname::meshing
