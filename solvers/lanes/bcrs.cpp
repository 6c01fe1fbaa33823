// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/bcrs_cpu.hpp"
#include "solvers/lanes/bcrs_cuda.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

void bcrs_apply(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                device::Queue& queue) {
    const bool known =
        (A.block_rows == 3 || A.block_rows == 6) && (A.block_cols == 3 || A.block_cols == 6);
    const std::size_t nx = static_cast<std::size_t>(A.n_cols) * A.block_cols * kLanes;
    const std::size_t ny = static_cast<std::size_t>(A.n_rows()) * A.block_rows * kLanes;
    if (!known || x.size() != nx || y.size() != ny) {
        throw Error(ErrorCode::InvalidArgument,
                    "bcrs_apply: blocks " + std::to_string(A.block_rows) + "x" +
                        std::to_string(A.block_cols) + ", x of " + std::to_string(x.size()) +
                        " for " + std::to_string(nx) + ", y of " + std::to_string(y.size()) +
                        " for " + std::to_string(ny));
    }
    KANAME_DISPATCH(queue, bcrs_apply, A, x, y, add)
}

void block_diagonal_apply(int block, float c, device::View<const float> D,
                          device::View<const float> x, device::View<float> y,
                          device::Queue& queue) {
    KANAME_DISPATCH(queue, block_diagonal_apply, block, c, D, x, y)
}

void chebyshev_step(int block, float w, float c, Previous previous, device::View<const float> D,
                    device::View<const float> b, device::View<const float> Ax,
                    device::View<const float> x, device::View<float> next, device::Queue& queue) {
    KANAME_DISPATCH(queue, chebyshev_step, block, w, c, previous, D, b, Ax, x, next)
}

}  // namespace kaname::lanes
