// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/base/text_file.hpp"
#include "solvers/fault/slip_model/local_offset.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

/// The rectangle of four corners that go round it, from any corner either way: centre, length,
/// width, strike (dip to its right; a vertical patch has strike in [0, 180)) and dip. The upper
/// edge is the pair of neighbours with the smaller mean depth. Corners in files are rounded, so the
/// rectangle is the one whose edges are the means of opposite sides; refuses the line when corners
/// miss it by more than 5 % of the patch, or no edge is level within 5 degrees.
[[nodiscard]] SlipPatch patch_of_corners(const std::array<Place, 4>& corners, const TextLine& line);

}  // namespace kaname::slip_model
