// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::fault {

/// What the mesh has of one fault.
struct FaultReport {
    std::string name;
    std::int64_t faces = 0;
    double area_m2 = 0.0;
    double top_depth_m = 0.0;     ///< of its shallowest vertex, below z = 0; negative above
    double bottom_depth_m = 0.0;  ///< of its deepest
    int pieces = 0;               ///< that no edge joins
    /// In pieces of less than a fiftieth of the largest one's faces: none in a sound mesh.
    std::int64_t stray_faces = 0;
    std::optional<Vec3> stray;     ///< a vertex of one [m]
    double rim_m = 0.0;            ///< length of its border, but where it ends on the outside
    std::int64_t split_nodes = 0;  ///< of second order, that can slip
    std::int64_t rim_nodes = 0;    ///< that cannot, because they are on the border
    /// Nodes that cannot slip although they are inside the fault: none in a sound mesh.
    std::int64_t orphan_nodes = 0;
    std::optional<Vec3> orphan;    ///< one of them [m]
    std::int64_t stuck_faces = 0;  ///< all nodes are on the border: they never slip
};

/// [TetMesh::faults]; without faces everything is zero. Throws as split_fault_nodes.
[[nodiscard]] std::vector<FaultReport> report_faults(const mesh::TetMesh& mesh);

}  // namespace kaname::fault
