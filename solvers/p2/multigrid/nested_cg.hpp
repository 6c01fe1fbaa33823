// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "solvers/comm/comm.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/linalg/inner_cg.hpp"
#include "solvers/p2/multigrid/assembled_operator.hpp"
#include "solvers/p2/multigrid/background_cells.hpp"
#include "solvers/p2/multigrid/fine_level.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

namespace kaname::multigrid {

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
