// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/nested_cg.hpp"

#include <algorithm>
#include <utility>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::multigrid {

AssembledOperator::AssembledOperator(const BlockMatrix& A, comm::Halo& halo, device::Queue& queue)
    : A_(A.to_float(queue)), halo_(halo, queue), alone_(halo.neighbours().empty()) {}

void AssembledOperator::apply(device::View<const float> x, device::View<float> y,
                              device::Queue& queue) {
    lanes::bcrs_apply(A_, x, y, false, queue);
    halo_.sum(y, A_.block_rows * lanes::kLanes, queue);
}

std::vector<double> inverse_diagonal_blocks(const BlockMatrix& A, comm::Halo& halo,
                                            comm::Comm& comm) {
    const int size = A.block_size();
    std::vector<double> D(std::size_t(A.n_rows()) * size, 0.0);
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        const auto begin = A.col.begin() + A.row_ptr[row];
        const auto end = A.col.begin() + A.row_ptr[row + 1];
        const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
        if (found != end && *found == row) {
            std::copy_n(A.val.data() + (found - A.col.begin()) * size, size, D.data() + row * size);
        }
    });
    halo.sum(std::span<double>(D), size);
    // Unknowns without stiffness (rotations of single vertices) are zero up to rounding.
    const double floor =
        kRounding * comm.max(D.empty() ? 0.0 : *std::max_element(D.begin(), D.end()));
    parallel_for(A.n_rows(), [&](std::int64_t row) {
        linalg::invert_semidefinite({D.data() + row * size, std::size_t(size)}, A.R, floor);
    });
    return D;
}

device::Buffer<float> to_float(const std::vector<double>& values, device::Queue& queue) {
    device::Buffer<float> numbers(values.size());
    parallel_for(std::ssize(values),
                 [&](std::int64_t k) { numbers[k] = static_cast<float>(values[k]); });
    return moved_to(queue, std::move(numbers));
}

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
