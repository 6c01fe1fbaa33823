// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/comm/halo.hpp"
#include "solvers/linalg/halo_sum.hpp"
#include "solvers/linalg/operator.hpp"
#include "solvers/p2/multigrid/block_matrix.hpp"

namespace kaname::multigrid {

/// Matrix of one rank's elements in FP32; copies of shared items are summed over the halo, which
/// outlives the operator.
class AssembledOperator final : public linalg::Operator<float> {
public:
    AssembledOperator(const BlockMatrix& A, comm::Halo& halo, device::Queue& queue);
    void apply(device::View<const float> x, device::View<float> y, device::Queue& queue) override;
    [[nodiscard]] const lanes::Bcrs* whole_rows() const override { return alone_ ? &A_ : nullptr; }
    /// Items that count here, in the queue's memory; empty: all.
    [[nodiscard]] device::View<const std::uint8_t> owned() const { return halo_.owned(); }

private:
    lanes::Bcrs A_;
    linalg::HaloSum halo_;
    bool alone_;  ///< no other rank adds to a row
};

/// Share of the largest diagonal entry that counts as zero. Contrasts and gradings stay far above
/// it.
inline constexpr double kRounding = 1e-10;

/// Inverse diagonal blocks [n][block][block] of the matrix summed over ranks; unknowns without
/// stiffness get zeros. Collective.
[[nodiscard]] std::vector<double> inverse_diagonal_blocks(const BlockMatrix& A, comm::Halo& halo,
                                                          comm::Comm& comm);

[[nodiscard]] device::Buffer<float> to_float(const std::vector<double>& values,
                                             device::Queue& queue);

}  // namespace kaname::multigrid
