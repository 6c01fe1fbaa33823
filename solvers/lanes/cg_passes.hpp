// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/blas1.hpp"

namespace kaname::lanes {

/// What an iteration of conjugate gradients does to its vectors, each in one pass through memory.
/// T is the precision of directions and images; sums run in FP64 over owned items, as in dot.

/// r = b - Ax in lanes where `take` is not zero, the others keep theirs. Ax may be r.
struct ResidualPass {
    const LaneScalars& take;
    device::View<const double> b;
    device::View<const double> Ax;
    device::View<double> r;
};
/// Local parts of (b, b) and of the new (r, r).
struct ResidualSums {
    LaneScalars bb, rr;
};
[[nodiscard]] ResidualSums residual(const ResidualPass& pass, int width,
                                    device::View<const std::uint8_t> owned, device::Queue& queue);

/// x += a p, r -= a Ap; returns the local part of the new (r, r).
template <class T>
struct UpdatePass {
    const LaneScalars& a;
    device::View<const T> p;
    device::View<const T> Ap;
    device::View<double> x;
    device::View<double> r;
};
template <class T>
[[nodiscard]] LaneScalars update(const UpdatePass<T>& pass, int width,
                                 device::View<const std::uint8_t> owned, device::Queue& queue);

/// d [numbers]: one factor for all lanes of a number.
struct DirectionPass {
    device::View<const float> r, p, Ap, d;
};
/// Local parts of (r, p), (p, Ap) and (d p, d p).
struct DirectionSums {
    LaneScalars rp, pAp, dpdp;
};
[[nodiscard]] DirectionSums direction_sums(const DirectionPass& pass, int width,
                                           device::View<const std::uint8_t> owned,
                                           device::Queue& queue);

}  // namespace kaname::lanes
