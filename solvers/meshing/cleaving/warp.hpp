// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/calm.hpp"
#include "solvers/meshing/cleaving/label.hpp"

namespace kaname::cleaving {

/// Moves vertices that a sheet passes close by onto it, so that the cuts that are left stay away
/// from the ends of their edges: nearer than a quarter of a long (axis-parallel) edge, or 0.41 of
/// a short (diagonal) one of the lattice (Labelle and Shewchuk 2007, table 1). Of several sheets
/// the one of best rank takes the vertex, with the next one if both are met close by.
/// Vertices of tets that are turned over or flattened by it go back again.
/// `cell_edge`: edges of a root of the octree, to tell long edges from short ones; zero once the
/// mesh has been cut and is no lattice any more: then all edges are long.
void warp(Complex& complex, const Labeller& labeller, const Calm& calm, const Vec3& cell_edge);

}  // namespace kaname::cleaving
