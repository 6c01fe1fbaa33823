// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/assembled_operator.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace kaname::multigrid
