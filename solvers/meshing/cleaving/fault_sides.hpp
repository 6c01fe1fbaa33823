// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/meshing/cleaving/complex.hpp"

namespace kaname::cleaving {

/// Counts the changes by mend_fault_sides().
struct MendedSides {
    std::int64_t turned = 0;   ///< tets that went to the fault's other side
    std::int64_t without = 0;  ///< tets that are on neither side any more: the fault has a hole
};

/// Gives tets other sides until every fault parts the tets around each of its vertices and edges
/// into one plus and one minus side, or not at all. In a wedge thinner than an element between a
/// fault and the ground all corners of a tet may lie on one or the other; the tets' sides are then
/// a matter of their centroids, and where these differ from tet to tet the faces between them meet
/// in an edge or a vertex only. The smaller parts there go over to the side around them. Which
/// way a thin wedge goes does not matter for the rest of the body: slip that is the same on both
/// ways displaces the wedge as a whole, or not (docs/theory/meshing.md).
MendedSides mend_fault_sides(Complex& complex, int fault);

}  // namespace kaname::cleaving
