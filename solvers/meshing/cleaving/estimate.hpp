// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/label.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {

/// Elements and vertices that the mesh over these leaves will have, without making its lattice: by
/// the leaves in the ground, and by the edges of the lattice that a sheet crosses. Fitted to random
/// models: right on average, within a third where layers are no thinner than elements; thinner ones
/// are cut more often than the lattice shows. With all threads.
[[nodiscard]] meshing::MeshSource::Count estimate_count(const Octree& octree,
                                                        const Labeller& labeller);

}  // namespace kaname::cleaving
