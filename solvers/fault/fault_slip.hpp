// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/fault/slip_projection.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::fault {

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
