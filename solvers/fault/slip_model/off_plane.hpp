// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

/// Why `patch` does not lie in the plane of `first`: how far off it is [m], how far it is turned
/// [deg], and what is allowed. Empty when it lies there.
[[nodiscard]] std::string off_plane(const PlacedPatch& first, const PlacedPatch& patch);

}  // namespace kaname::slip_model
