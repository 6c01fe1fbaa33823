// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs_cuda.hpp"

#include "solvers/lanes/bcrs_body.hpp"
#include "solvers/lanes/row_kernel.cuh"

namespace kaname::lanes {

using device::cuda::for_each;

namespace {

template <int R, int C>
void launch(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
            device::Queue& queue) {
    const body::BcrsRow<R, C> body{A.row_ptr.data(), A.col.data(), A.val.data(), x.data()};
    for_each_row<R>(A.n_rows(), body, y.data(), add, "bcrs_apply", queue);
}

template <int R>
void chebyshev(float w, float c, Previous previous, const float* D, const float* b,
               const float* Ax, const float* x, float* next, std::int64_t n, device::Queue& queue) {
    constexpr const char* kName = "chebyshev_step";
    switch (previous) {
        case Previous::None:
            for_each(n, body::ChebyshevStep<R, Previous::None>{w, c, D, b, Ax, x, next}, kName,
                     queue);
            break;
        case Previous::Zero:
            for_each(n, body::ChebyshevStep<R, Previous::Zero>{w, c, D, b, Ax, x, next}, kName,
                     queue);
            break;
        case Previous::Given:
            for_each(n, body::ChebyshevStep<R, Previous::Given>{w, c, D, b, Ax, x, next}, kName,
                     queue);
            break;
    }
}

}  // namespace

void bcrs_apply_cuda(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                     device::Queue& queue) {
    if (A.block_rows == 3) {
        A.block_cols == 3 ? launch<3, 3>(A, x, y, add, queue) : launch<3, 6>(A, x, y, add, queue);
    } else {
        A.block_cols == 3 ? launch<6, 3>(A, x, y, add, queue) : launch<6, 6>(A, x, y, add, queue);
    }
}

void block_diagonal_apply_cuda(int block, float c, device::View<const float> D,
                               device::View<const float> x, device::View<float> y,
                               device::Queue& queue) {
    const auto n = static_cast<std::int64_t>(x.size()) / block;
    if (block == 3) {
        for_each(n, body::BlockDiagonal<3>{c, D.data(), x.data(), y.data()},
                 "block_diagonal_apply", queue);
    } else {
        for_each(n, body::BlockDiagonal<6>{c, D.data(), x.data(), y.data()},
                 "block_diagonal_apply", queue);
    }
}

void chebyshev_step_cuda(int block, float w, float c, Previous previous,
                         device::View<const float> D, device::View<const float> b,
                         device::View<const float> Ax, device::View<const float> x,
                         device::View<float> next, device::Queue& queue) {
    const auto n = static_cast<std::int64_t>(x.size()) / block;
    block == 3 ? chebyshev<3>(w, c, previous, D.data(), b.data(), Ax.data(), x.data(), next.data(),
                              n, queue)
               : chebyshev<6>(w, c, previous, D.data(), b.data(), Ax.data(), x.data(), next.data(),
                              n, queue);
}

}  // namespace kaname::lanes
