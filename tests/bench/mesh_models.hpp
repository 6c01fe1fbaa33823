// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/meshing/cleaving/volume_request.hpp"
#include "tests/bench/options.hpp"

namespace kaname::bench {

/// A subduction zone of the mesh suite at one resolution: Slab2's plate with 7 km of oceanic crust,
/// 30 km thick in all, cuts through the three crustal layers of CRUST1.0 and the mantle, below
/// GEBCO's relief, in a box of 1,200 x 1,200 x 400 km; a fault on the plate's top.
struct MeshModel {
    std::string name;  ///< nankai-5km: the size at the fault
    cleaving::VolumeMeshParams request;
    std::vector<std::string> notes;  ///< notes about the structure
};

/// Names of the models of a size: with Small the coarsest of each region.
[[nodiscard]] std::vector<std::string> mesh_model_names(Size size);

/// Reads the grids below `data_folder` (plate_interface, earth_structure, topography). Throws
/// InvalidArgument for an unknown name, and as earth::build_volume_model.
[[nodiscard]] MeshModel make_mesh_model(const std::string& name, const std::string& data_folder);

}  // namespace kaname::bench
