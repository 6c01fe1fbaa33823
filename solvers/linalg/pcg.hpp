// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/operator.hpp"

namespace kaname::linalg {

enum class LaneStatus {
    Converged,
    ZeroRightHandSide,  ///< x = 0 is the solution
    MaxIterations,
    NotFinite,   ///< NaN or infinity in the right-hand side, the start or the iteration
    Indefinite,  ///< (p, A p) <= 0: the operator or the preconditioner is not positive definite
};
[[nodiscard]] const char* to_string(LaneStatus status);

struct LaneResult {
    LaneStatus status = LaneStatus::ZeroRightHandSide;
    int iterations = 0;
    double initial_residual = 0.0;  ///< ||b - A x0|| / ||b||
    double residual = 0.0;          ///< ||b - A x|| / ||b|| of the recurrence
    std::vector<double> history;    ///< relative residual after each iteration
    [[nodiscard]] bool ok() const {
        return status == LaneStatus::Converged || status == LaneStatus::ZeroRightHandSide;
    }
};

struct PcgParams {
    double tolerance = 1e-8;  ///< largest ||r|| / ||b||, in each lane
    int max_iterations = 500;
    /// beta = -(z, A p) / (p, A p): for preconditioners that change from one use to the next
    /// (adaptive CG of Murakami et al. 2023, Algorithm 2a; its listing drops the sign).
    bool flexible = false;
    /// >= 0: the iteration ends with this lane; the others go along as far as it takes, and lanes
    /// that have not converged by then say MaxIterations.
    int leading_lane = -1;
};

/// Vectors of the iteration, allocated once per size.
struct PcgWorkspace {
    PcgWorkspace(std::size_t size, device::Queue& queue)
        : r(size, queue),
          p(size, queue),
          Ap(size, queue),
          r_float(size, queue),
          z_float(size, queue) {}
    device::Buffer<double> r, p, Ap;
    device::Buffer<float> r_float, z_float;
};

/// Preconditioned conjugate gradients for four right-hand sides that advance together, x and r in
/// FP64, the preconditioner in FP32 on residuals of norm one. Lanes do not mix: a lane that has
/// converged, is empty (b = 0) or holds a NaN is frozen and never enters another lane's numbers.
/// On return work.r holds b - A x as reported.
/// Vectors [items][width / 4][4]; `owned` counts shared items once in dot products.
/// x: start on entry, solution on return. Collective.
struct PcgProblem {
    Operator<double>& A;
    Preconditioner& M;
    device::View<const double> b;
    device::View<double> x;
    int width;
    device::View<const std::uint8_t> owned;
    bool residual_known = false;  ///< work.r holds b - A x on entry
};
[[nodiscard]] std::array<LaneResult, lanes::kLanes> pcg(const PcgProblem& problem,
                                                        const PcgParams& params, PcgWorkspace& work,
                                                        comm::Comm& comm, device::Queue& queue);

}  // namespace kaname::linalg
