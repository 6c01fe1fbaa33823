// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/assembled_operator.hpp"

#include <algorithm>

#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/dense.hpp"

namespace kaname::multigrid {

AssembledOperator::AssembledOperator(const BlockMatrix& A, comm::Halo& halo, device::Queue& queue)
    : A_(A.to_float(queue)), halo_(halo, queue) {}

void AssembledOperator::apply(device::View<const float> x, device::View<float> y,
                              device::Queue& queue) {
    lanes::bcrs_apply(A_, x, y, false, queue);
    halo_.sum(y, A_.block_rows * lanes::kLanes, queue);
}

std::vector<double> inverse_diagonal_blocks(const BlockMatrix& A, comm::Halo& halo,
                                            comm::Comm& comm) {
    const int size = A.block_size();
    std::vector<double> D(std::size_t(A.n_rows()) * size, 0.0);
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            if (A.col[k] == row) {
                std::copy_n(A.val.data() + k * size, size, D.data() + std::size_t(row) * size);
            }
        }
    }
    halo.sum(std::span<double>(D), size);
    // Unknowns without stiffness (rotations of single vertices) are zero up to rounding.
    const double floor =
        kRounding * comm.max(D.empty() ? 0.0 : *std::max_element(D.begin(), D.end()));
    for (std::int32_t row = 0; row < A.n_rows(); ++row) {
        linalg::invert_semidefinite({D.data() + std::size_t(row) * size, std::size_t(size)}, A.R,
                                    floor);
    }
    return D;
}

device::Buffer<float> to_float(const std::vector<double>& values, device::Queue& queue) {
    const std::vector<float> numbers(values.begin(), values.end());
    return {std::span<const float>(numbers), queue};
}

}  // namespace kaname::multigrid
