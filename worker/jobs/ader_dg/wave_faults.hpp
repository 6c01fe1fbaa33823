// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/base/error.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"

namespace kaname::jobs {

/// Returns the rules that the faults of a request break by themselves.
[[nodiscard]] std::vector<Violation> check_faults(const SeismicMeshRequest& request);

/// AddedFault describes a fault before it is meshed.
struct AddedFault {
    bool along_side = false;  ///< a vertical plane along a side of the box
    double sample_m2 = 0.0;   ///< area for each of its samples
};

/// Asks the mesher for the faults of a request beside the model, box and sizes that `params` has:
/// their sheets, sizes about them, and roots whose halves meet the first one's size. Of vertical
/// planes along the box's sides the lattice gets planes for their place and rim, so that they are
/// met without a cut but that through the middles of edges. The rims of planes are fitted to their
/// rectangle; surfaces have a staircase of faces whose centroids lie inside the outline.
/// `first_parts_box`: the mesh conforms to the first one's plane, which is vertical, everywhere.
/// Throws ValidationError: a fault outside of the box, a surface that the model does not have,
/// more elements about faults than params.max_tets.
std::vector<AddedFault> add_faults(std::span<const SeismicFault> faults,
                                   cleaving::VolumeMeshParams& params, bool first_parts_box);

/// Leaves faces that several faults have to the first of them; says which of the others lost some.
[[nodiscard]] std::vector<std::string> part_faults(mesh::TetMesh& mesh);

}  // namespace kaname::jobs
