// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"

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

}  // namespace kaname::linalg
