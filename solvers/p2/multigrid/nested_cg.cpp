// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/nested_cg.hpp"

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::multigrid {

NestedCgParams NestedCgParams::two_levels() {
    return {{0.2, 30, 0}, {0.1, 300, 0}, std::nullopt};
}

NestedCg::NestedCg(const FineLevel& fine, const NestedCgParams& params, comm::Comm& comm,
                   device::Queue& queue)
    : comm_(comm),
      p2_inverse_diagonal_(fine.inverse_diagonal),
      fixed_p1_(fine.fixed_p1, queue),
      p2_transfer_(fine.mesh, queue),
      vertex_halo_(fine.mesh.vertex_halo),
      vertex_sum_(vertex_halo_, queue),
      r1_(std::size_t(fine.mesh.n_vertices()) * lanes::kVectorWidth, queue),
      u1_(r1_.size(), queue) {
    p1_ = std::make_unique<AssembledOperator>(fine.p1, vertex_halo_, queue);
    p1_inverse_diagonal_ = to_float(inverse_diagonal_blocks(fine.p1, vertex_halo_, comm), queue);
    loop0_ = std::make_unique<linalg::InnerCg>(fine.A, 3, fine.inverse_diagonal, fine.owned,
                                               params.loop0, queue);
    loop1_ = std::make_unique<linalg::InnerCg>(*p1_, 3, p1_inverse_diagonal_, p1_->owned(),
                                               params.loop1, queue);
    std::int64_t owned = 0;
    for (std::int32_t v = 0; v < fine.mesh.n_vertices(); ++v) {
        owned += vertex_halo_.owned(v) ? 1 : 0;
    }
    description_ = "nested CG: P2 - P1 " + std::to_string(comm.sum(owned));
    if (!params.loop2) {
        return;
    }
    cells_ = std::make_unique<BackgroundCells>(fine.mesh, comm, queue);
    const BlockMatrix coarse = cells_->coarse(fine.p1);
    coarse_ = std::make_unique<AssembledOperator>(coarse, cells_->halo(), queue);
    coarse_inverse_diagonal_ =
        to_float(inverse_diagonal_blocks(coarse, cells_->halo(), comm), queue);
    loop2_ = std::make_unique<linalg::InnerCg>(*coarse_, 3, coarse_inverse_diagonal_,
                                               coarse_->owned(), *params.loop2, queue);
    r2_ = device::Buffer<float>(std::size_t(cells_->size()) * lanes::kVectorWidth, queue);
    u2_ = device::Buffer<float>(r2_.size(), queue);
    description_ += " - " + std::to_string(cells_->n_global()) + " background cells";
}

void NestedCg::solve_cells(device::Queue& queue) {
    cells_->average(u1_, u2_, queue);
    cells_->restrict_to(r1_, r2_, queue);
    iterations_[2] += loop2_->solve(r2_, u2_, comm_, queue);
    cells_->prolong(u2_, u1_, queue);
    lanes::zero_dofs<float>(fixed_p1_, u1_, queue);
}

void NestedCg::apply(device::View<const float> r, device::View<float> z, device::Queue& queue) {
    device::InPhase phase(queue, device::Phase::SmootherVectors);
    lanes::block_diagonal_apply(3, 1.0F, p2_inverse_diagonal_, r, z, queue);
    phase.change(device::Phase::P1Below);
    p2_transfer_.inject(z, u1_, queue);
    p2_transfer_.restrict_to(r, r1_, queue);
    vertex_sum_.sum(r1_.view(), lanes::kVectorWidth, queue);
    lanes::zero_dofs<float>(fixed_p1_, r1_, queue);
    if (cells_) {
        phase.change(device::Phase::Coarsest);
        solve_cells(queue);
        phase.change(device::Phase::P1Below);
    }
    iterations_[1] += loop1_->solve(r1_, u1_, comm_, queue);
    phase.change(device::Phase::SmootherVectors);
    lanes::fill<float>(0.0F, z, queue);
    p2_transfer_.prolong_add(u1_, z, queue);
    iterations_[0] += loop0_->solve(r, z, comm_, queue);
}

}  // namespace kaname::multigrid
