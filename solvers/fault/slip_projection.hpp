// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::fault {

/// A fault's face as second-order triangle: vertices, middles of 01, 12, 20.
struct FaultTriangle {
    std::array<std::int32_t, 6> nodes;  ///< node ids of the mesh
    std::array<std::int32_t, 6> split;  ///< SplitNodes::index; -1 where a node cannot slip
    std::int32_t fault = 0;
    double area_m2 = 0.0;
    Vec3 normal;  ///< unit, to the plus side
};
[[nodiscard]] std::vector<FaultTriangle> fault_triangles(const mesh::TetMesh& mesh,
                                                         const p2::DofMap& dofs,
                                                         const SplitNodes& split);

/// The six second-order functions of a triangle at barycentric (1 - l1 - l2, l1, l2).
[[nodiscard]] std::array<double, 6> triangle_functions(double l1, double l2);

/// Slip s as a fault's elements take it: the s_h of their second-order functions phi with
///   int s_h phi dA = int s phi dA
/// for the phi of every node that can slip (L2 projection). So potency, its centroid and its second
/// moments are those of s wherever s ends, and the motion of the ground, which sees slip through
/// smooth kernels, is off by the product of two interpolation errors. Near a jump s_h swings, by 10
/// per cent of it in the next element and a fifth of that in the one beyond.
class SlipProjection {
public:
    SlipProjection(std::span<const FaultTriangle> triangles, std::size_t n_split);

    /// Nodal values [n_split] from loads int s phi dA [n_split]: conjugate gradients to 1e-12, the
    /// condition of the scaled mass matrix being that of one triangle. Nodes of no triangle get 0.
    [[nodiscard]] std::vector<double> solve(std::span<const double> load) const;

private:
    void apply(std::span<const double> x, std::span<double> y) const;

    std::vector<FaultTriangle> triangles_;
    std::vector<double> inverse_diagonal_;
};

}  // namespace kaname::fault
