// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/p2/local_mesh.hpp"

namespace kaname::multigrid {

/// Index lists of P2Transfer in the memory of a queue.
struct P2TransferLists {
    device::Buffer<std::int32_t> vertex_node;  ///< [V] node, -1 where another rank owns it
    device::Buffer<std::int32_t> at_vertex;    ///< [V] node
    device::Buffer<std::int32_t> ptr;          ///< [V + 1] into mid
    device::Buffer<std::int32_t> mid;          ///< owned mid-edge nodes of each vertex
    device::Buffer<std::int32_t> parent;       ///< [N][2] vertices of each node (twice the same)
};

/// Transfer between P2 nodes and P1 vertices. P1 functions are P2 functions, so prolongation is
/// exact:
///   u(vertex) = v,   u(mid-edge) = (v_0 + v_1) / 2
/// and restriction is its transpose, each shared node counted by its owner only.
class P2Transfer {
public:
    P2Transfer(const p2::LocalMesh& mesh, device::Queue& queue);

    /// out [vertices][3][4] = P^T r, this rank's part (the caller sums over the halo).
    void restrict_to(device::View<const float> r, device::View<float> out,
                     device::Queue& queue) const;
    /// x [nodes][3][4] += P v.
    void prolong_add(device::View<const float> v, device::View<float> x,
                     device::Queue& queue) const;
    /// out [vertices][3][4]: the values of x [nodes][3][4] at the vertices.
    void inject(device::View<const float> x, device::View<float> out, device::Queue& queue) const;
    [[nodiscard]] const P2TransferLists& lists() const { return lists_; }

private:
    P2TransferLists lists_;
};

}  // namespace kaname::multigrid
