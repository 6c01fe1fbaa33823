// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Size of a lattice tet over its cube's edge: 2^(-1/6).
inline constexpr double kSizePerEdge = 0.8909;
/// Largest size, in sizes asked for; larger cubes are halved, so sizes lie within 0.72 .. 1.45.
inline constexpr double kLargest = 1.45;

/// Roots over the box: as cubic as its sides allow, no larger than the largest elements may be, and
/// such that halving them meets the first of the sizes at points, which is that at the fault.
/// Halving alone would meet it by chance: sizes of 2.67 and 2 km had the same mesh.
[[nodiscard]] Octree::Roots choose_roots(const VolumeMeshParams& params);

}  // namespace kaname::cleaving
