// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/registry/setup.hpp"

namespace kaname::registry {

/// Where the job's stations are sought in the mesh: where the top has relief, stations without a
/// depth stand on it, wherever the mesh has it, and in a structure of volumes those above it, too.
/// Stations beside the top stay where they are.
[[nodiscard]] std::vector<Vec3> station_points(const GreensJob& job, const Setup& setup,
                                               const mesh::TetMesh& mesh);

}  // namespace kaname::registry
