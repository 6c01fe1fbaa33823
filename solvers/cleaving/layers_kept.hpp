// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/cleaving/volume_mesh.hpp"

namespace kaname::cleaving {

/// A volume of the model near the points that sizes are asked for at: what it is there, and what is
/// left of it when thin layers have merged (ThinLayers).
struct LayerKept {
    double model_m3 = 0.0, left_m3 = 0.0;
};

/// Of each volume, from vertical lines on a grid over the plan of the points and `around_m` about
/// it; over the whole box without points.
[[nodiscard]] std::vector<LayerKept> layers_kept(const VolumeMeshParams& params, double around_m);

}  // namespace kaname::cleaving
