// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/label.hpp"
#include "solvers/meshing/cleaving/warp.hpp"

namespace kaname::cleaving {

/// Puts a vertex where a sheet crosses an edge in conflict and bisects the tetrahedra there in one
/// order of all edges, so that both sides of every face agree: those that the free surface crosses
/// first, then those that faults cross, so that no tet is left on both sides of these; of equals
/// the longest first, which gives the better shapes. With `last`, every
/// tet gets one volume: the one that its corners have in common; where they leave a choice, the
/// one at its centroid. Tets in the air are left out, and vertices that no tet has.
/// Returns whether anything was cut.
bool cut(Complex& complex, const Labeller& labeller, const Calm& calm, bool last);

}  // namespace kaname::cleaving
