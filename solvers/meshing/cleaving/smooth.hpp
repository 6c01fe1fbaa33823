// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/stars.hpp"

namespace kaname::cleaving {

/// How far vertices may leave their sheets, of the mean edge of the tets around; 0: not at all.
struct Freedom {
    double of_volumes = 0.0;  ///< boundaries between volumes
    double of_others = 0.0;   ///< the ground and faults
};

/// Moves a vertex so that the worst tet around it gets better: a pattern search with shrinking
/// steps. It stays on its walls, and on its sheets or as close to them as `freedom` says.
/// Returns true when it moved.
bool smooth_vertex(Complex& complex, const Sheets& sheets, const Stars& stars, std::int32_t vertex,
                   const Freedom& freedom);

}  // namespace kaname::cleaving
