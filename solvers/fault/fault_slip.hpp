// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/earth/structure.hpp"
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

/// FaultSlip evaluates slip on the faces of a mesh's faults. Slip is given at the split nodes
/// [SplitNodes::split] and is 0 at the rest; between them it is the second-order interpolant that
/// the elements see.
class FaultSlip {
public:
    /// Materials as TetMesh::material counts them. Nothing is borrowed.
    FaultSlip(const mesh::TetMesh& mesh, const p2::DofMap& dofs, const SplitNodes& split,
              std::span<const earth::Material> materials);

    /// Sums over the faces. s is the interpolant of the amounts of slip at the nodes, whose
    /// integral over a flat face of area A is A times the mean of s at the middles of its edges;
    /// mu_plus and mu_minus are the shear moduli on the two sides of a face.
    struct Sums {
        double area_m2 = 0.0;           ///< area of faces with a node above 5 % of the largest
        double potency_m3 = 0.0;        ///< int s dA
        double moment_nm = 0.0;         ///< int (mu_plus + mu_minus) / 2 s dA
        double softer_moment_nm = 0.0;  ///< int min(mu_plus, mu_minus) s dA

        /// moment / potency [Pa]; NaN without slip.
        [[nodiscard]] double rigidity_pa() const;
    };
    /// Sums for amounts [split]: |slip|, or the slip along the direction asked for, which has a
    /// sign where a projection swings about zero.
    [[nodiscard]] Sums sums(std::span<const double> amount) const;
    [[nodiscard]] static std::vector<double> amounts(std::span<const Vec3> slip);

    /// Where a source slips and in which mean direction.
    struct Support {
        std::vector<std::int32_t> nodes;  ///< ascending indices into SplitNodes::split
        Vec3 mean;                        ///< sum of the slip there [m]
    };
    [[nodiscard]] static Support support(std::span<const Vec3> slip);
    /// Sources are neighbours when they slip at a common node, or at two nodes of a face that are
    /// next to each other (half an edge apart), and their mean slip differs by less than 45
    /// degrees. Returns each source's neighbours, ascending indices.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> neighbours(
        std::span<const Support> sources) const;

private:
    struct Face {
        FaultTriangle of;
        double mean_mu_pa = 0.0;
        double least_mu_pa = 0.0;
    };
    std::vector<Face> faces_;
    std::size_t n_split_ = 0;
};

}  // namespace kaname::fault
