// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "solvers/earth/projection.hpp"
#include "solvers/fault/slip_table.hpp"

namespace kaname::jobs {

/// A vector (true east, true north, up) in the grid's axes; `convergence` [rad] of the place.
[[nodiscard]] Vec3 to_grid(const Vec3& v, double convergence);

/// The slip table of a file with places and vectors in the model frame. Throws ValidationError
/// naming `field` when it has longitudes and the model no projection, and as read_slip_table.
[[nodiscard]] fault::SlipTable slip_table_in_model(
    const std::string& path, const std::string& field,
    const std::optional<earth::Projection>& projection);

}  // namespace kaname::jobs
