// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/cleaving/complex.hpp"
#include "solvers/cleaving/stars.hpp"

namespace kaname::cleaving {

/// Moves a vertex so that the worst tet around it gets better: a pattern search with shrinking
/// steps. It stays on its sheets and walls.
/// `freedom` (of the edge of its tets): how far it may leave its sheets; 0: not at all.
/// Returns true when it moved.
bool smooth_vertex(Complex& complex, const Sheets& sheets, const Stars& stars, std::int32_t vertex,
                   double freedom);

}  // namespace kaname::cleaving
