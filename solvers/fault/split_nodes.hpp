// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::fault {

/// A second-order node of a fault. Where faults meet, each has the node for itself.
struct FaultNode {
    std::int32_t node = 0;
    std::int32_t fault = 0;  ///< index into TetMesh::faults
    auto operator<=>(const FaultNode&) const = default;
};

/// Which side of a fault an element's node is on, for every node on the fault that can slip.
/// Split nodes of Melosh and Raefsky (1981): one displacement per node, the mean of both sides; an
/// element on the plus side sees u + slip/2, on the minus side u - slip/2. Where faults meet, an
/// element sees the sum over them.
struct SplitElement {
    std::int32_t tet;
    std::int32_t fault;
    std::array<std::int8_t, 10> side;  ///< +1, -1, or 0 (node not split) for the tet10 nodes
};

/// Splits the element star of every fault node by walking across faces that are not faces of this
/// fault: the body is linear, so that faults that touch, branch or cross are the sum of each alone.
/// Where one goes on as another, so that only both together split the star, they share the node.
/// Every element that holds a split node is listed, also those that touch the fault with an edge
/// or a vertex only. Nodes whose star does not split in two (the buried rim, also where a fault
/// ends on another one) have side 0 and are named in `rim`; they must not slip.
///
/// conn10 [E][10]: tet10 nodes of each element (p2::DofMap); node ids as there.
struct SplitNodes {
    std::vector<SplitElement> elements;  ///< ascending tet, then fault
    std::vector<FaultNode> split;        ///< nodes that can slip, ascending
    std::vector<FaultNode> rim;          ///< nodes of faults that cannot, ascending
    std::vector<Vec3> normal;            ///< unit normal per split node, area-weighted, to plus

    /// Nodes that a fault shares with one it goes on as, and that fault's, in ascending order.
    std::vector<std::pair<FaultNode, FaultNode>> shared;

    /// The one that stands in `split` for a node that faults share; itself for all others.
    [[nodiscard]] FaultNode owner(const FaultNode& at) const;
    /// Position in `split`; -1 for a node that cannot slip.
    [[nodiscard]] std::int32_t index(const FaultNode& at) const;
    /// The elements of one tet.
    [[nodiscard]] std::span<const SplitElement> of_tet(std::int32_t tet) const;
};
[[nodiscard]] SplitNodes split_fault_nodes(const mesh::TetMesh& mesh,
                                           std::span<const std::array<std::int32_t, 10>> conn10,
                                           std::span<const Vec3> node_xyz);

/// Throws InvalidArgument naming the place where slip at a node of the buried rim is more than 1e-9
/// of the largest.
void require_stuck(double slip_m, double largest_m, const Vec3& place);

/// Slip [split.size()] of `slip_at(node)` at the split nodes. Throws as require_stuck.
[[nodiscard]] std::vector<Vec3> nodal_slip(const SplitNodes& nodes, std::span<const Vec3> node_xyz,
                                           const std::function<Vec3(const FaultNode& at)>& slip_at);

/// The mesh cut open along its faults: a vertex that can slip is two points, so that a field given
/// at points jumps across the fault and is continuous elsewhere. The order follows from the mesh
/// alone: points 0..V-1 are the vertices (of split ones the minus side), the plus sides follow in
/// the order of vertices. Where faults meet there is a point for each set of plus sides.
struct SplitVertices {
    std::vector<std::int32_t> vertex;               ///< [P] vertex of each point
    std::vector<std::array<std::int32_t, 4>> tets;  ///< [E] points
};
[[nodiscard]] SplitVertices split_vertices(const mesh::TetMesh& mesh, const SplitNodes& split);

/// A place this near to a face of its element, as a part of the element's height, is on the face.
inline constexpr double kOnFault = 1e-5;

/// Moves places that lie on faults to an element of the plus side (the hanging wall; of a vertical
/// fault the side to the right of its strike), whichever element they were found in: rounding, or
/// the order of elements, would decide between the sides otherwise. Where several faults meet it
/// is the element that is on the plus side of most of them; of equal ones the lowest.
void to_plus_side(const mesh::TetMesh& mesh, const SplitNodes& split,
                  std::vector<p2::Location>& places);

}  // namespace kaname::fault
