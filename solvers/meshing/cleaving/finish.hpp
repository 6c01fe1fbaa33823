// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/warp.hpp"

namespace kaname::cleaving {

/// Puts a vertex where a sheet crosses an edge in conflict and bisects the tetrahedra there in one
/// order of all edges, so that both sides of every face agree: those that the free surface crosses
/// first, then those that faults cross, so that no tet is left on both sides of these; of equals
/// the longest first, which gives the better shapes. With `last`, every
/// tet gets one volume: the one that its corners have in common; where they leave a choice, the
/// one at its centroid. Tets in the air are left out, and vertices that no tet has.
/// Returns whether anything was cut.
bool cut(Complex& complex, const Labeller& labeller, const UnresolvedRegions& unresolved,
         bool last);

/// The mesh in the map frame, vertices in Morton order: materials by the volumes' rules at the
/// centroids, boundary faces by the sides of the box and the free surface, fault faces where a tet
/// of the plus side meets one of the minus side inside the fault's outline.
[[nodiscard]] mesh::TetMesh finish(Complex complex, const Sheets& sheets,
                                   std::span<const FaultRequest> faults, const meshing::Box& box);

}  // namespace kaname::cleaving
