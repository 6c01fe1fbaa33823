// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "solvers/fault/slip_table.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::fault {

/// The nodes of one fault and where they are: mean normals to the plus side, weighted by area.
struct FaultNodeSet {
    std::unordered_map<std::int32_t, Vec3> area;  ///< area-weighted normal at a node [m^2]
    Vec3 mean_area;  ///< sum of the area vectors of the fault's faces [m^2]
};
[[nodiscard]] FaultNodeSet fault_nodes(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                       std::int32_t fault);

struct TableSlip {
    std::unordered_map<std::int32_t, Vec3> slip;  ///< [m] by node of the fault, model frame
    std::int64_t outside = 0;  ///< nodes that the table does not reach: their slip is 0
    double farthest_m = 0.0;   ///< distance of the farthest of them from the table
    double opening_m = 0.0;    ///< largest slip across the fault
};

/// A table's slip at the nodes of a fault. At a point of the table (to SlipField::kSamePoint of its
/// extent) the slip is exactly that point's; in the middle between two such vertices of an element
/// it is their mean; elsewhere it is interpolated by SlipField over the plane across the fault's
/// mean normal. Outside of the table's hull it is that of the nearest place up to `reach_m`, then
/// 0; it is 0, too, where the surface through the table's points is farther away than `reach_m` and
/// the longest edge of its triangle. Components: strike slip along the strike that the node's
/// normal n has, with the fault dipping to the right of it (level: along `strike_rad`), dip slip
/// along n x strike.
///   table  places and slip in the model frame
/// Throws InvalidArgument when the fault turns away from its mean normal by 90 degrees, where two
/// points of the table are the same, when no node is within the table's reach, or where a component
/// has no direction (coordinates).
[[nodiscard]] TableSlip slip_of_table(const SlipTable& table, const FaultNodeSet& nodes,
                                      const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                                      std::int32_t fault, double reach_m,
                                      std::optional<double> strike_rad);

}  // namespace kaname::fault
