// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/mesh_source.hpp"

#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::meshing {

void check_box(const Box& box) {
    require_length("box.size_east_m", box.size_east_m);
    require_length("box.size_north_m", box.size_north_m);
    require_length("box.depth_m", box.depth_m);
    require(std::isfinite(box.azimuth_rad), "box.azimuth_rad", "finite", box.azimuth_rad);
}

void require(bool holds, const std::string& field, const char* rule, double value) {
    if (!holds) {
        std::ostringstream text;
        text << field << " must be " << rule << ", got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
}

void require_length(const std::string& field, double value) {
    require(std::isfinite(value) && value > 0.0, field, "finite and > 0", value);
}

}  // namespace kaname::meshing
