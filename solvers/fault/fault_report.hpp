// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::fault {

/// One fault as the mesh has it.
struct FaultReport {
    std::string name;
    std::int64_t faces = 0;
    double area_m2 = 0.0;
    double top_depth_m = 0.0;     ///< depth of its shallowest vertex below z = 0; negative above
    double bottom_depth_m = 0.0;  ///< depth of its deepest vertex
    int pieces = 0;               ///< parts that no edge joins
    /// Faces in pieces of less than a fiftieth of the largest one's area: none in a sound mesh.
    std::int64_t stray_faces = 0;
    std::optional<Vec3> stray;     ///< a vertex of a stray face [m]
    double rim_m = 0.0;            ///< length of its border off the model's outside
    std::int64_t split_nodes = 0;  ///< second-order nodes that can slip
    std::int64_t rim_nodes = 0;    ///< nodes that cannot, because they are on the border
    /// Nodes that cannot slip although they are inside the fault: none in a sound mesh.
    std::int64_t orphan_nodes = 0;
    std::optional<Vec3> orphan;    ///< an orphan node [m]
    std::int64_t stuck_faces = 0;  ///< faces with all nodes on the border: they never slip
};

/// Reports on all faults [TetMesh::faults]; one without faces has zeros. Throws as
/// split_fault_nodes.
[[nodiscard]] std::vector<FaultReport> report_faults(const mesh::TetMesh& mesh);

}  // namespace kaname::fault
