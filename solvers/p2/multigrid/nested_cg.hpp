// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/comm/halo.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/linalg/pcg.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/p2/multigrid/block_matrix.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

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

/// Matrix of one rank's elements in FP32; copies of shared items are summed over the halo, which
/// outlives the operator.
class AssembledOperator final : public linalg::Operator<float> {
public:
    AssembledOperator(const BlockMatrix& A, comm::Halo& halo, device::Queue& queue);
    void apply(device::View<const float> x, device::View<float> y, device::Queue& queue) override;
    [[nodiscard]] const lanes::Bcrs* whole_rows() const override { return alone_ ? &A_ : nullptr; }
    /// Items that count here, in the queue's memory; empty: all.
    [[nodiscard]] device::View<const std::uint8_t> owned() const { return halo_.owned(); }

private:
    lanes::Bcrs A_;
    linalg::HaloSum halo_;
    bool alone_;  ///< no other rank adds to a row
};

/// Share of the largest diagonal entry that counts as zero. Contrasts and gradings stay far above
/// it.
inline constexpr double kRounding = 1e-10;

/// Inverse diagonal blocks [n][block][block] of the matrix summed over ranks; unknowns without
/// stiffness get zeros. Collective.
[[nodiscard]] std::vector<double> inverse_diagonal_blocks(const BlockMatrix& A, comm::Halo& halo,
                                                          comm::Comm& comm);

[[nodiscard]] device::Buffer<float> to_float(const std::vector<double>& values,
                                             device::Queue& queue);

/// Describes the P2 level: its operator (with halo sums and fixed dofs), inverse 3x3 diagonal
/// blocks [nodes][3][3], fixed dofs (node * 3 + component) and owned nodes (empty: all), views of
/// the queue's memory that outlive the preconditioner; and the rank's part of the P1 matrix with
/// the fixed vertex dofs zeroed.
struct FineLevel {
    linalg::Operator<float>& A;
    device::View<const float> inverse_diagonal;
    device::View<const std::int32_t> fixed;
    device::View<const std::uint8_t> owned;
    const p2::LocalMesh& mesh;
    BlockMatrix p1;
    std::span<const std::int32_t> fixed_p1;  ///< vertex * 3 + component
};

/// The loops of Murakami et al. (2023), section 5.1, with tolerances on ||e|| / ||r||.
struct NestedCgParams {
    linalg::InnerCgParams loop0 = {0.5, 30};   ///< P2, element by element
    linalg::InnerCgParams loop1 = {0.25, 80};  ///< P1, block CRS
    /// Background cells, block CRS. Without it loop 1 starts from u0.
    std::optional<linalg::InnerCgParams> loop2 = linalg::InnerCgParams{0.15, 300};

    /// P2 and P1 alone (Yamaguchi et al. 2018, Algorithm 2 and section 3.2), where the residual of
    /// the first of four time steps decides.
    [[nodiscard]] static NestedCgParams two_levels();
};

/// Preconditioner of the seed: nested FP32 conjugate gradients with 3x3 block Jacobi, from
/// the coarsest up, each starting from the one below (Murakami et al. 2023, Algorithm 2a, lines
/// 7-15). The coarsest starts from the cell means of u0 = D^-1 r: the listing's P^T u0 would add
/// the values up. It changes from one use to the next, so its CG must be flexible.
class NestedCg final : public linalg::Preconditioner {
public:
    /// Collective.
    NestedCg(const FineLevel& fine, const NestedCgParams& params, comm::Comm& comm,
             device::Queue& queue);

    void apply(device::View<const float> r, device::View<float> z, device::Queue& queue) override;
    [[nodiscard]] std::array<std::int64_t, 3> inner_iterations() const override {
        return iterations_;
    }
    /// "P2 - P1 6,100 - 310 background cells" for logs.
    [[nodiscard]] const std::string& description() const { return description_; }

private:
    /// u1 and the sums of r1 in the cells -> u1 from the cells.
    void solve_cells(device::Queue& queue);

    comm::Comm& comm_;
    device::View<const float> p2_inverse_diagonal_;
    device::Buffer<std::int32_t> fixed_p1_;
    P2Transfer p2_transfer_;
    comm::Halo vertex_halo_;
    linalg::HaloSum vertex_sum_;
    std::unique_ptr<BackgroundCells> cells_;  ///< null without loop 2, as what belongs to it
    std::unique_ptr<AssembledOperator> p1_, coarse_;
    device::Buffer<float> p1_inverse_diagonal_, coarse_inverse_diagonal_;
    std::unique_ptr<linalg::InnerCg> loop0_, loop1_, loop2_;
    device::Buffer<float> r1_, u1_, r2_, u2_;
    std::array<std::int64_t, 3> iterations_{};
    std::string description_;
};

}  // namespace kaname::multigrid
