// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/comm/halo.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/p2/multigrid/block_matrix.hpp"

namespace kaname::multigrid {

/// Uniform aggregation (Murakami et al. 2023, section 3.2: "for maintaining load balance"): the
/// vertices in one background cell move together. Cells hold about eight vertices everywhere
/// (balanced_cells.hpp), do not depend on the partition, and may span ranks.
class BackgroundCells {
public:
    /// Collective.
    BackgroundCells(const p2::LocalMesh& mesh, comm::Comm& comm, device::Queue& queue);
    BackgroundCells(const BackgroundCells&) = delete;
    BackgroundCells& operator=(const BackgroundCells&) = delete;

    [[nodiscard]] std::int32_t size() const { return n_cells_; }
    [[nodiscard]] std::int64_t n_global() const { return n_global_; }
    [[nodiscard]] comm::Halo& halo() { return halo_; }

    /// This rank's part of P^T A P, P constant over each cell.
    [[nodiscard]] BlockMatrix coarse(const BlockMatrix& A) const;
    /// out [cells][3][4] = P^T r over owned vertices, summed over ranks. Collective.
    void restrict_to(device::View<const float> r, device::View<float> out, device::Queue& queue);
    /// out [cells][3][4] = mean of x over the vertices of each cell. Collective.
    void average(device::View<const float> x, device::View<float> out, device::Queue& queue);
    /// x [vertices][3][4] = P v.
    void prolong(device::View<const float> v, device::View<float> x, device::Queue& queue) const;

private:
    std::vector<std::int32_t> cell_of_;  ///< [V] on the host, for the coarse matrix
    std::int32_t n_cells_ = 0;
    std::int64_t n_global_ = 0;
    comm::Halo halo_;
    std::optional<linalg::HaloSum> halo_sum_;
    // In the queue's memory.
    device::Mirror<std::int32_t> cell_of_vertex_;  ///< cell_of_
    device::Buffer<std::int32_t> ptr_;             ///< [cells + 1] into members_
    device::Buffer<std::int32_t> members_;         ///< owned vertices by cell, ascending
    device::Buffer<float> one_over_count_;         ///< [cells][3] 1 / vertices of all ranks
};

/// [points] the cell of each point, cells numbered alike on all ranks without gaps. The bounding
/// box of all ranks' points is halved across its longest side, and so on, every part as long as
/// more than `most` owned points lie in it: cells are nearly cubes and follow the points' density.
/// Neither ranks nor the order of points matter. `owned` is empty when all points are. Collective.
[[nodiscard]] std::vector<std::int64_t> balanced_cells(std::span<const Vec3> points,
                                                       std::span<const std::uint8_t> owned,
                                                       int most, comm::Comm& comm);

}  // namespace kaname::multigrid
