// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/cleaving/label.hpp"

namespace kaname::cleaving {

/// Moves vertices that a sheet passes close by onto it, so that the cuts that are left stay away
/// from the ends of their edges: nearer than a quarter of a long (axis-parallel) edge, or 0.41 of
/// a short (diagonal) one of the lattice (Labelle and Shewchuk 2007, table 1). Of several sheets
/// the one of best rank takes the vertex, with the next one if both are met close by.
/// `cell_edge`: edges of a root of the octree, to tell long edges from short ones.
void warp(Complex& complex, const Labeller& labeller, const Vec3& cell_edge);

}  // namespace kaname::cleaving
