// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <vector>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"

namespace kaname::cleaving {

/// Shapes as shape_deg() has them.
struct Improvement {
    int rounds = 0;
    std::int64_t bad_before = 0, bad_after = 0;  ///< tets below the target
    std::int64_t released = 0;  ///< moves of vertices that might leave their sheets
    struct Stuck {
        Vec3 at;
        double edge_m;
    };
    std::vector<Stuck> stuck;  ///< tets far below what they must have: centroid, longest edge [m]
};

/// Works on tets whose shape is below `target_deg` until none is left or nothing helps any more:
/// exchanges edges and faces inside a volume, collapses edges, moves vertices along their
/// sheets. At the end vertices of tets still below `must_deg` may leave boundaries between volumes
/// a little, and where that does not help the ground and faults, too.
Improvement improve(Complex& complex, const Sheets& sheets, double target_deg, double must_deg,
                    const std::function<void(double fraction)>& progress);

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
