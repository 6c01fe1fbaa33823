// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/linalg/operator.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/p2/multigrid/block_matrix.hpp"

namespace kaname::multigrid {

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

}  // namespace kaname::multigrid
