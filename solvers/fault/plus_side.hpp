// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::fault {

/// A place this near to a face of its element, as a part of the element's height, is on the face.
inline constexpr double kOnFault = 1e-5;

/// Moves places that lie on faults to an element of the plus side (the hanging wall; of a vertical
/// fault the side to the right of its strike), whichever element they were found in: rounding, or
/// the order of elements, would decide between the sides otherwise. Where several faults meet it
/// is the element that is on the plus side of most of them; of equal ones the lowest.
void to_plus_side(const mesh::TetMesh& mesh, const SplitNodes& split,
                  std::vector<p2::Location>& places);

}  // namespace kaname::fault
