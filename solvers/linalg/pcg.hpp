// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::lanes {
struct Bcrs;
}  // namespace kaname::lanes

namespace kaname::linalg {

/// y = A x on vectors that are equal on every rank that shares an item. Entries of fixed degrees
/// of freedom are zero in x and come out zero in y. Collective.
template <class T>
class Operator {
public:
    virtual ~Operator() = default;
    virtual void apply(device::View<const T> x, device::View<T> y, device::Queue& queue) = 0;
    /// The matrix whose rows are all of apply (no halo adds to them); null where there is none.
    [[nodiscard]] virtual const lanes::Bcrs* whole_rows() const { return nullptr; }
};

/// z = M^-1 r in FP32, symmetric positive definite. r is scaled by the caller to norm one.
class Preconditioner {
public:
    virtual ~Preconditioner() = default;
    virtual void apply(device::View<const float> r, device::View<float> z,
                       device::Queue& queue) = 0;
    /// Iterations of nested inner loops 0, 1 and 2 since the start; zeros where there are none.
    [[nodiscard]] virtual std::array<std::int64_t, 3> inner_iterations() const { return {}; }
};

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
