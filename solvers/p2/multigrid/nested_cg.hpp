// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solvers/comm/comm.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/linalg/inner_cg.hpp"
#include "solvers/p2/multigrid/assembled_operator.hpp"
#include "solvers/p2/multigrid/background_cells.hpp"
#include "solvers/p2/multigrid/fine_level.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

namespace kaname::multigrid {

/// Tolerances on ||e|| / ||r|| and iteration caps of Murakami et al. (2023).
struct NestedCgParams {
    linalg::InnerCgParams loop0 = {0.5, 30};    ///< P2, element by element
    linalg::InnerCgParams loop1 = {0.25, 80};   ///< P1, block CRS
    linalg::InnerCgParams loop2 = {0.15, 300};  ///< background cells, block CRS
};

/// Preconditioner of the seed: three nested FP32 conjugate gradients with 3x3 block Jacobi, from
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
    comm::Comm& comm_;
    device::View<const float> p2_inverse_diagonal_;
    device::Buffer<std::int32_t> fixed_p1_;
    P2Transfer p2_transfer_;
    comm::Halo vertex_halo_;
    linalg::HaloSum vertex_sum_;
    BackgroundCells cells_;
    std::unique_ptr<AssembledOperator> p1_, coarse_;
    device::Buffer<float> p1_inverse_diagonal_, coarse_inverse_diagonal_;
    std::unique_ptr<linalg::InnerCg> loop0_, loop1_, loop2_;
    device::Buffer<float> r1_, u1_, r2_, u2_;
    std::array<std::int64_t, 3> iterations_{};
    std::string description_;
};

}  // namespace kaname::multigrid
