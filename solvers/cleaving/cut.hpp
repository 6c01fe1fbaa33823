// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/cleaving/label.hpp"

namespace kaname::cleaving {

/// Puts a vertex where a sheet crosses an edge in conflict and bisects the tetrahedra there, the
/// longest edge first (ties by vertex ids), so that both sides of every face agree. Then every
/// tet gets one volume: the one that its corners have in common; where they leave a choice, the
/// one at its centroid. Tets in the air are left out, and vertices that no tet has.
void cut(Complex& complex, const Labeller& labeller);

}  // namespace kaname::cleaving
