// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "solvers/meshing/cleaving/volume_request.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {

/// Tetrahedra that conform to the volumes of a model: an octree-graded body-centred lattice is
/// warped onto the surfaces and cut by them (isosurface stuffing, Labelle and Shewchuk 2007, with
/// sets of labels as in lattice cleaving, Bronson, Levine and Whitaker 2014), then improved.
/// Method: docs/theory/meshing.md. Layers thinner than `thinnest` elements merge with what is
/// beside them; from a quarter of an element on they keep their volume. Throws InvalidArgument as
/// check_volume_mesh(); build() and estimate() throw Exhausted beyond max_tets.
[[nodiscard]] std::unique_ptr<meshing::MeshSource> make_volume_mesh(VolumeMeshParams params);

}  // namespace kaname::cleaving
