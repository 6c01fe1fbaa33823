// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "solvers/registry/setup.hpp"

namespace kaname::registry {

/// Height of the model's top above (x, y); nothing beside it.
[[nodiscard]] std::optional<double> top_height_m(const mesh::TetMesh& mesh, double x, double y);

/// Where the job's stations are sought in the mesh: in a mesh of one's own, stations without a
/// depth stand on its top, wherever that is. Stations beside the top stay at z = 0.
[[nodiscard]] std::vector<Vec3> station_points(const GreensJob& job, const Setup& setup,
                                               const mesh::TetMesh& mesh);

}  // namespace kaname::registry
