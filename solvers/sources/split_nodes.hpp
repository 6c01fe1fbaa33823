// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::sources {

/// Which side of the fault an element's node is on, for every node on the fault that can slip.
/// Split nodes of Melosh and Raefsky (1981): one displacement per node, the mean of both sides; an
/// element on the plus side sees u + slip/2, on the minus side u - slip/2.
struct SplitElement {
    std::int32_t tet;
    std::array<std::int8_t, 10> side;  ///< +1, -1, or 0 (node not split) for the tet10 nodes
};

/// Splits the element star of every fault node by walking across faces that are not fault faces.
/// Every element that holds a split node is listed, also those that touch the fault with an edge
/// or a vertex only. Nodes whose star does not split in two (the buried rim) have side 0 and are
/// named in `rim`; they must not slip.
///
/// conn10 [E][10]: tet10 nodes of each element (fem::DofMap); node ids as there.
struct SplitNodes {
    std::vector<SplitElement> elements;  ///< ascending tet
    std::vector<std::int32_t> split;     ///< ascending node ids that can slip
    std::vector<std::int32_t> rim;       ///< ascending node ids on the fault that cannot
    std::vector<Vec3> normal;            ///< unit normal per split node, area-weighted, to plus
};
[[nodiscard]] SplitNodes split_fault_nodes(const mesh::TetMesh& mesh,
                                           std::span<const std::array<std::int32_t, 10>> conn10,
                                           std::span<const Vec3> node_xyz);

/// Slip [split.size()] of `slip_at(node)` at the split nodes. Throws InvalidArgument naming the
/// node's coordinates when a rim node would slip by more than 1e-9 of the largest slip.
[[nodiscard]] std::vector<Vec3> nodal_slip(const SplitNodes& nodes, std::span<const Vec3> node_xyz,
                                           const std::function<Vec3(std::int32_t node)>& slip_at);

}  // namespace kaname::sources
