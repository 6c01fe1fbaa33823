// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "solvers/comm/comm.hpp"
#include "solvers/linalg/operator.hpp"

namespace kaname::linalg {

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
