// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/halo.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

/// Where the nodal-dilatation element keeps its volume strain: one number per vertex and viscous
/// material, the mean over the elements of that material around the vertex,
///   Theta_v = y_v / volume_v,   y_v = sum_e int L_v div u,   volume_v = sum_e int L_v = sum_e V/4
/// (the lumped L2 projection onto P1; docs/theory/viscoelastic.md, "Nodal dilatation").
/// Arrays of pressure [n + 1][4] have one more place, zero, for the vertices of elastic elements.
struct PressureNodes {
    /// Collective.
    PressureNodes(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                  std::span<const earth::Material> materials, comm::Comm& comm);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(material.size()); }

    std::vector<std::array<std::int32_t, 4>> conn;  ///< [El][4], size() in elastic elements
    std::vector<std::int32_t> material;             ///< [n]
    std::vector<std::int64_t> gid;                  ///< [n] of the vertex and material
    std::vector<double> volume;                     ///< [n] scaled units, of all ranks
    std::vector<double> own_volume;                 ///< [n] of this rank's elements
    mutable comm::Halo halo;  ///< sums change only its buffers, as with the mesh's halos
};

}  // namespace kaname::viscoelastic
