// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <span>

#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/warp.hpp"

namespace kaname::cleaving {

/// Bits of Walls beyond the three axes: the side of a fault's outline that a vertex is fixed to.
inline constexpr int kRimBit = 3;
[[nodiscard]] inline bool on_rim(Walls walls) {
    return walls >> kRimBit != 0;
}

/// Fits the rim of every fault that has an outline to it: of the faces between its sides those
/// whose centroid lies inside are the fault, and the vertices of their free edges move to the
/// nearest point of the outline, one to each corner. They stay there. Where the fault breaks the
/// surface there is no rim. Vertices of other faults stay on these, those of calm places where
/// they are. What this does to the tets around is for improve() to mend.
/// Returns false where a vertex had to go farther than the fault's longest edge.
bool fit_rims(Complex& complex, const Sheets& sheets, std::span<const FaultRequest> faults,
              const meshing::Box& box, const UnresolvedRegions& unresolved);

/// Moves vertices between two volumes that lie on no sheet between these (warping took them back,
/// or no cut could be made) onto it, or as far towards it as leaves all tets around with a shape of
/// `least_deg`, or with the one that they have. For a mesh that is cut and improved. Returns how
/// many moved.
std::int64_t settle(Complex& complex, const Sheets& sheets, double least_deg);

}  // namespace kaname::cleaving
