// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/linalg/pcg.hpp"

namespace kaname::linalg {

/// Chebyshev iteration of the first kind on D^-1 A over [lambda_max / range, lambda_max], D block
/// Jacobi (Adams and others 2003). Symmetric as a smoother; pre and post use one polynomial.
class ChebyshevSmoother {
public:
    struct Params {
        int degree = 3;
        double range = 20.0;
    };
    /// A and inverse_diagonal [items][block][block] outlive the smoother.
    ChebyshevSmoother(Operator<float>& A, int block, device::View<const float> inverse_diagonal,
                      double lambda_max, Params params, device::Queue& queue);

    /// Another polynomial from now on.
    void set(Params params);

    /// x = S b from x = 0.
    void pre_smooth(device::View<const float> b, device::View<float> x, device::Queue& queue);
    /// x moves on from where it is.
    void post_smooth(device::View<const float> b, device::View<float> x, device::Queue& queue);
    /// r = b - A x.
    void residual(device::View<const float> b, device::View<const float> x, device::View<float> r,
                  device::Queue& queue);

private:
    /// Steps 2..degree; x and other_ swap roles, the result ends in x.
    void iterate(device::View<const float> b, device::View<float> x, bool from_zero,
                 device::Queue& queue);

    /// One step from x to next; `before` says what next holds.
    void step(double w, double c, lanes::Previous before, device::View<const float> b,
              device::View<const float> x, device::View<float> next, device::Queue& queue);

    Operator<float>& A_;
    int block_;
    device::View<const float> inverse_diagonal_;
    double lambda_max_;
    Params params_;
    double theta_ = 0.0;
    double delta_ = 0.0;
    device::Buffer<float> other_;  ///< the iterate that is not in x
    device::Buffer<float> Ax_;
};

/// M^-1 A on vectors [items][block][4]; views in the queue's memory.
struct EigenvalueProblem {
    Operator<float>& A;
    /// z = M^-1 r, symmetric and positive definite.
    std::function<void(device::View<const float> r, device::View<float> z)> precondition;
    int block;
    /// [items]: they seed the start, so that it does not depend on the partition.
    std::span<const std::int64_t> global_ids;
    device::View<const std::uint8_t> owned;
    device::View<const std::int32_t> fixed;  ///< entries that stay zero
};

struct EigenvalueRange {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
};

/// Smallest and largest eigenvalue of M^-1 A as far as so many steps of Lanczos' method find them,
/// done as conjugate gradients do them: four random starts at once, the outermost of all count.
/// Collective.
[[nodiscard]] EigenvalueRange eigenvalue_range(const EigenvalueProblem& problem, int steps,
                                               comm::Comm& comm, device::Queue& queue);

/// Largest eigenvalue of D^-1 A, D block Jacobi, by twenty such steps, times a safety factor of
/// 1.05. Power iteration is not enough: where a few elements of a large mesh have the largest
/// eigenvalues it found 0.87 of them. Collective.
[[nodiscard]] double largest_eigenvalue(Operator<float>& A, int block,
                                        device::View<const float> inverse_diagonal,
                                        std::span<const std::int64_t> global_ids,
                                        device::View<const std::uint8_t> owned,
                                        device::View<const std::int32_t> fixed, comm::Comm& comm,
                                        device::Queue& queue);

}  // namespace kaname::linalg
