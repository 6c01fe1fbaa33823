// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "solvers/meshing/cleaving/layers_kept.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
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

/// Elements and vertices that the mesh over these leaves will have, without making its lattice: by
/// the leaves in the ground, and by the edges of the lattice that a sheet crosses. Fitted to random
/// models: right on average, within a third where layers are no thinner than elements; thinner ones
/// are cut more often than the lattice shows. With all threads.
[[nodiscard]] meshing::MeshSource::Count estimate_count(const Octree& octree,
                                                        const Labeller& labeller);

/// Throws InvalidArgument naming the field, its value and the rule that it breaks: what would have
/// the mesher fail later, or never end. Sizes are finite and > 0, but at the surface 0 is none;
/// growth > 0; thinnest in [0, 1); a fault lies on a surface of the model or has a plane, and an
/// outline of four corners or none; numbers of roots are all given or none.
void check_volume_mesh(const VolumeMeshParams& params);

}  // namespace kaname::cleaving
