// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/operator.hpp"

namespace kaname::linalg {

struct InnerCgParams {
    double tolerance = 0.5;  ///< largest ||e|| / ||r||
    int max_iterations = 30;
    int leading_lane = -1;  ///< whose residual decides; -1: the worst one
};

/// Conjugate gradients in FP32 with block Jacobi for four right-hand sides that advance together
/// until the worst residual, or the leading lane's, is small enough: an approximate solve inside an
/// FP64 iteration (Murakami et al. 2023, Algorithm 2b). Dot products are summed in FP64. A lane
/// with a zero or not-finite right-hand side comes out zero and takes no part in the test.
class InnerCg {
public:
    /// A and inverse_diagonal [items][block][block] outlive this; `owned` as in dot().
    InnerCg(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
            device::View<const std::uint8_t> owned, InnerCgParams params, device::Queue& queue);

    /// x: start on entry, better on return. Returns the iterations taken. Collective.
    int solve(device::View<const float> r, device::View<float> x, comm::Comm& comm,
              device::Queue& queue);

private:
    lanes::LaneScalars dot(device::View<const float> x, device::View<const float> y,
                           comm::Comm& comm, device::Queue& queue) const;

    Operator<float>& A_;
    int block_;
    device::View<const float> inverse_diagonal_;
    device::View<const std::uint8_t> owned_;
    InnerCgParams params_;
    device::Buffer<float> e_, z_, p_, q_;
};

}  // namespace kaname::linalg
