// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/hierarchy.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "solvers/device/phases.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/chebyshev.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"

namespace kaname::multigrid {

using lanes::kLanes;

namespace {

constexpr int kMaxLevels = 12;
// A level that shrinks by less is not worth having.
constexpr double kMinCoarsening = 0.7;

}  // namespace

/// One smoothed level and its way down.
class Hierarchy::Level {
public:
    Level(linalg::Operator<float>& A, int block, device::View<const float> D, double lambda_max,
          linalg::ChebyshevSmoother::Params params, device::Queue& queue)
        : smoother(A, block, D, lambda_max, params, queue), r(D.size() / block * kLanes, queue) {}

    linalg::ChebyshevSmoother smoother;
    device::Buffer<float> r;
    device::Buffer<float> coarse_b, coarse_x;
    // Levels below P2 own their matrix and transfers.
    std::unique_ptr<linalg::Operator<float>> own_A;
    device::Buffer<float> own_D;
    std::unique_ptr<Items> items;  // own_A refers to their halo
    lanes::Bcrs P, PT;
    std::optional<linalg::HaloSum> coarse_halo;
};

Hierarchy::Hierarchy(const FineLevel& fine, const HierarchyParams& params, comm::Comm& comm,
                     device::Queue& queue)
    : params_(params),
      comm_(comm),
      p2_transfer_(fine.mesh, queue),
      fixed_p1_(fine.fixed_p1, queue),
      // Sums over ranks wait for the host in the middle of the cycle.
      recorded_(params.recorded && comm.size() == 1) {
    const auto& mesh = fine.mesh;
    const double p2_lambda = linalg::largest_eigenvalue(
        fine.A, 3, fine.inverse_diagonal, mesh.node_gid, fine.owned, fine.fixed, comm, queue);
    levels_.push_back(
        std::make_unique<Level>(fine.A, 3, fine.inverse_diagonal, p2_lambda, params.p2, queue));

    auto items = std::make_unique<Items>();
    items->gid = mesh.vertex_gid;
    items->scale.assign(mesh.n_vertices(), 0.0);
    for (const std::int32_t node : mesh.vertex_node) {
        items->centre.push_back(mesh.node_xyz[node]);
    }
    items->halo = mesh.vertex_halo;
    BlockMatrix A = fine.p1;
    std::int64_t owned = 0;
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        owned += mesh.vertex_halo.owned(v) ? 1 : 0;
    }
    std::int64_t n_global = comm.sum(owned);
    description_ = "P2 - P1 " + std::to_string(n_global);

    std::vector<std::int32_t> fixed(fine.fixed_p1.begin(), fine.fixed_p1.end());
    for (int depth = 0; depth < kMaxLevels && n_global * A.R > params.direct_size; ++depth) {
        const std::vector<double> D = inverse_diagonal_blocks(A, items->halo, comm);
        auto own_A = std::make_unique<AssembledOperator>(A, items->halo, queue);
        device::Buffer<float> own_D = to_float(D, queue);
        const double lambda = linalg::largest_eigenvalue(
            *own_A, A.R, own_D, items->gid, own_A->owned(),
            device::Buffer<std::int32_t>(std::span<const std::int32_t>(fixed), queue), comm, queue);
        CoarseLevel coarse = coarsen(A, *items, D, fixed, lambda, params.strength, comm);
        if (coarse.n_global > kMinCoarsening * static_cast<double>(n_global)) {
            break;
        }
        auto level = std::make_unique<Level>(*own_A, A.R, own_D, lambda,
                                             depth == 0 ? params.p1 : params.coarse, queue);
        level->own_A = std::move(own_A);
        level->own_D = std::move(own_D);
        level->P = coarse.P.to_float(queue);
        level->PT = coarse.P.transposed(items->halo.owned_mask()).to_float(queue);
        level->items = std::move(items);
        items = std::make_unique<Items>(std::move(coarse.items));
        A = std::move(coarse.A);
        n_global = coarse.n_global;
        description_ += " - " + std::to_string(n_global);
        fixed.clear();
        levels_.push_back(std::move(level));
    }
    coarsest_ = std::move(*items);
    if (n_global * A.R <= params.dense_limit) {
        build_direct(A, coarsest_, n_global, queue);
        description_ += " (dense)";
    } else {
        smooth_coarsest(A, fixed, queue);
        description_ += " (smoothed)";
    }

    for (std::size_t k = 0; k < levels_.size(); ++k) {
        Items& below = k + 1 < levels_.size() ? *levels_[k + 1]->items : coarsest_;
        const std::size_t size = std::size_t(below.size()) * below.block * kLanes;
        levels_[k]->coarse_b = device::Buffer<float>(size, queue);
        levels_[k]->coarse_x = device::Buffer<float>(size, queue);
        levels_[k]->coarse_halo.emplace(below.halo, queue);
    }
    choose_smoother(fine, queue);
}

void Hierarchy::choose_smoother(const FineLevel& fine, device::Queue& queue) {
    if (!params_.kappa_thin) {
        return;
    }
    // Enough to tell cells that keep their shape from flat ones (decision 0116); not the whole
    // condition number.
    constexpr int kSteps = 4;
    const auto precondition = [&](device::View<const float> r, device::View<float> z) {
        cycle(0, r, z, queue);
    };
    const linalg::EigenvalueRange range = linalg::eigenvalue_range(
        {fine.A, precondition, 3, fine.mesh.node_gid, fine.owned, fine.fixed}, kSteps, comm_,
        queue);
    if (range.largest > *params_.kappa_thin * range.smallest) {
        params_.p2 = params_.p2_thin;
    } else if (range.largest > params_.kappa_flat * range.smallest) {
        params_.p2 = params_.p2_flat;
    }
    levels_.front()->smoother.set(params_.p2);
    params_.kappa_thin.reset();
}

Hierarchy::~Hierarchy() = default;

void Hierarchy::apply(device::View<const float> r, device::View<float> z, device::Queue& queue) {
    if (recorded_) {
        recording_.run(
            {r.data(), z.data()}, [&] { cycle(0, r, z, queue); }, queue);
    } else {
        cycle(0, r, z, queue);
    }
}

void Hierarchy::cycle(std::size_t k, device::View<const float> b, device::View<float> x,
                      device::Queue& queue) {
    const device::InPhase phase(queue, k == levels_.size() ? device::Phase::Coarsest
                                       : k > 0             ? device::Phase::P1Below
                                                           : device::Phase::SmootherVectors);
    if (k == levels_.size()) {
        solve_coarsest(b, x, queue);
        return;
    }
    Level& level = *levels_[k];
    level.smoother.pre_smooth(b, x, queue);
    level.smoother.residual(b, x, level.r, queue);
    const int coarse_width = (k == 0 ? 3 : level.P.block_cols) * kLanes;
    if (k == 0) {
        p2_transfer_.restrict_to(level.r, level.coarse_b, queue);
    } else {
        lanes::bcrs_apply(level.PT, level.r, level.coarse_b, false, queue);
    }
    level.coarse_halo->sum(level.coarse_b.view(), coarse_width, queue);
    if (k == 0) {
        lanes::zero_dofs<float>(fixed_p1_, level.coarse_b, queue);
    }
    cycle(k + 1, level.coarse_b, level.coarse_x, queue);
    if (k == 0) {
        // Fixed nodes get nothing: a fixed mid-edge node lies between fixed vertices.
        p2_transfer_.prolong_add(level.coarse_x, x, queue);
    } else {
        lanes::bcrs_apply(level.P, level.coarse_x, x, true, queue);
    }
    level.smoother.post_smooth(b, x, queue);
}

void Hierarchy::build_direct(const BlockMatrix& A, const Items& items, std::int64_t n_global,
                             device::Queue& queue) {
    // Vertices have sparse global ids; aggregates are numbered 0..n_global-1 already. One rank
    // takes its own order, so that right-hand side and solution need no copies.
    std::vector<std::int64_t> index = items.gid;
    if (comm_.size() == 1) {
        std::iota(index.begin(), index.end(), 0);
    } else if (items.block == 3) {
        index = dense_numbering(items);
    }
    direct_unknowns_ = n_global * A.R;
    const std::size_t n = direct_unknowns_;
    std::vector<double> dense(n * n, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            for (int i = 0; i < A.R; ++i) {
                for (int j = 0; j < A.C; ++j) {
                    dense[(index[row] * A.R + i) * n + index[A.col[k]] * A.C + j] +=
                        A.val[k * A.block_size() + i * A.C + j];
                }
            }
        }
    }
    comm_.sum(std::span<double>(dense));
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, dense[i * n + i]);
    }
    linalg::invert_semidefinite(dense, static_cast<int>(n), kRounding * largest);
    direct_index_ = index;
    std::vector<float> inverse(std::size_t(items.size()) * A.R * n);
    for (std::int32_t item = 0; item < items.size(); ++item) {
        for (int i = 0; i < A.R; ++i) {
            const double* row = dense.data() + (index[item] * A.R + i) * n;
            std::transform(row, row + n, inverse.data() + (std::size_t(item) * A.R + i) * n,
                           [](double v) { return static_cast<float>(v); });
        }
    }
    inverse_ = {std::span<const float>(inverse), queue};
    if (comm_.size() > 1) {
        direct_rhs_.resize(n * kLanes);
        direct_float_.resize(n * kLanes);
        direct_x_ = device::Buffer<float>(n * kLanes, queue);
        coarsest_b_.resize(std::size_t(items.size()) * A.R * kLanes);
    }
}

/// A polynomial of the matrix, so that the preconditioner stays linear and symmetric.
void Hierarchy::smooth_coarsest(const BlockMatrix& A, const std::vector<std::int32_t>& fixed,
                                device::Queue& queue) {
    auto own_A = std::make_unique<AssembledOperator>(A, coarsest_.halo, queue);
    device::Buffer<float> own_D =
        to_float(inverse_diagonal_blocks(A, coarsest_.halo, comm_), queue);
    const double lambda = linalg::largest_eigenvalue(
        *own_A, A.R, own_D, coarsest_.gid, own_A->owned(),
        device::Buffer<std::int32_t>(std::span<const std::int32_t>(fixed), queue), comm_, queue);
    smoothed_coarsest_ =
        std::make_unique<Level>(*own_A, A.R, own_D, lambda, params_.coarsest, queue);
    smoothed_coarsest_->own_A = std::move(own_A);
    smoothed_coarsest_->own_D = std::move(own_D);
}

/// 0..n-1 over all ranks' distinct items, in ascending global id.
std::vector<std::int64_t> Hierarchy::dense_numbering(const Items& items) {
    comm::Bytes mine(items.gid.size() * sizeof(std::int64_t));
    std::copy_n(reinterpret_cast<const std::byte*>(items.gid.data()), mine.size(), mine.data());
    std::vector<std::int64_t> all;
    for (const comm::Bytes& part : comm_.all_gather(mine)) {
        const std::size_t old = all.size();
        all.resize(old + part.size() / sizeof(std::int64_t));
        std::copy_n(part.data(), part.size(), reinterpret_cast<std::byte*>(all.data() + old));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<std::int64_t> index;
    for (const std::int64_t gid : items.gid) {
        index.push_back(std::lower_bound(all.begin(), all.end(), gid) - all.begin());
    }
    return index;
}

void Hierarchy::solve_coarsest(device::View<const float> b, device::View<float> x,
                               device::Queue& queue) {
    if (smoothed_coarsest_) {
        smoothed_coarsest_->smoother.pre_smooth(b, x, queue);
        return;
    }
    if (comm_.size() == 1) {
        lanes::dense_apply(inverse_, b, x, queue);
        return;
    }
    const int width = coarsest_.block * kLanes;
    device::download<float>(b, coarsest_b_, queue);
    std::fill(direct_rhs_.begin(), direct_rhs_.end(), 0.0);
    for (std::int32_t item = 0; item < coarsest_.size(); ++item) {
        if (coarsest_.halo.owned(item)) {
            std::copy_n(coarsest_b_.data() + std::size_t(item) * width, width,
                        direct_rhs_.data() + direct_index_[item] * width);
        }
    }
    device::InPhase phase(queue, device::Phase::Waiting);
    comm_.sum(std::span<double>(direct_rhs_));
    phase.change(device::Phase::Coarsest);
    std::transform(direct_rhs_.begin(), direct_rhs_.end(), direct_float_.begin(),
                   [](double v) { return static_cast<float>(v); });
    device::upload<float>(direct_float_, direct_x_, queue);
    lanes::dense_apply(inverse_, direct_x_, x, queue);
}

}  // namespace kaname::multigrid
