// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/fem/local_mesh.hpp"

namespace kaname::multigrid {

/// Between P2 nodes and P1 vertices. P1 functions are P2 functions, so prolongation is exact:
///   u(vertex) = v,   u(mid-edge) = (v_0 + v_1) / 2
/// and restriction is its transpose, each shared node counted by its owner only.
class P2Transfer {
public:
    explicit P2Transfer(const fem::LocalMesh& mesh);

    /// out [vertices][3][4] = P^T r, this rank's part (the caller sums over the halo).
    void restrict_to(device::View<const float> r, device::View<float> out) const;
    /// x [nodes][3][4] += P v.
    void prolong_add(device::View<const float> v, device::View<float> x) const;
    /// out [vertices][3][4]: the values of x [nodes][3][4] at the vertices.
    void inject(device::View<const float> x, device::View<float> out) const;

private:
    std::vector<std::int32_t> vertex_node_;  ///< [V] node, -1 where another rank owns it
    std::vector<std::int32_t> at_vertex_;    ///< [V] node
    std::vector<std::int32_t> ptr_;          ///< [V + 1] into mid_
    std::vector<std::int32_t> mid_;          ///< owned mid-edge nodes of each vertex
    std::vector<std::int32_t> parent_;       ///< [N][2] vertices of each node (twice the same)
};

}  // namespace kaname::multigrid
