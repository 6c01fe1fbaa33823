// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Distance from the fault within which layers are reported.
inline constexpr double kNearFault_m = 100e3;

/// Describes a volume of the model near the points at which sizes are requested, and the part of it
/// that the mesh keeps.
struct LayerKept {
    double model_m3 = 0.0, left_m3 = 0.0;
    /// Areas on the plan (times the runs that lie on each other): its extent, and the part where it
    /// is thinner than kSuits of the size asked for in its middle.
    double extent_m2 = 0.0, thin_m2 = 0.0;
};

/// Estimates how much of each volume is kept, from vertical lines on a grid over the plan of the
/// points and `around_m` about it; over the whole box without points. The part left is what remains
/// when thin layers have merged (ThinLayers).
[[nodiscard]] std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m);

/// Estimates how much is kept as above; the part left is what the mesh has.
[[nodiscard]] std::vector<LayerKept> layers_kept(const VolumeMeshParams& params,
                                                 const mesh::TetMesh& mesh, double around_m);

}  // namespace kaname::cleaving
