// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/complex.hpp"

namespace kaname::cleaving {

/// The mesh in the map frame, vertices in Morton order: materials by the volumes' rules at the
/// centroids, boundary faces by the sides of the box and the free surface, fault faces where a tet
/// of the plus side meets one of the minus side inside the fault's outline.
[[nodiscard]] mesh::TetMesh finish(Complex complex, const Sheets& sheets,
                                   std::span<const FaultRequest> faults, const meshing::Box& box);

}  // namespace kaname::cleaving
