// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/blas1.hpp"

namespace kaname::lanes {

/// The passes here are those of an iteration of conjugate gradients, each once through memory. Sums
/// run over owned items, as in dot; vectors are stored everywhere.

/// Local parts of (b, b) and of the new (r, r).
struct ResidualSums {
    LaneScalars bb, rr;
};
/// r = b - r, where r holds A x.
[[nodiscard]] ResidualSums residual(device::View<const double> b, device::View<double> r, int width,
                                    device::View<const std::uint8_t> owned, device::Queue& queue);

/// x += a p, r -= a Ap; returns the local part of the new (r, r).
struct UpdatePass {
    const LaneScalars& a;
    device::View<const double> p;
    device::View<const double> Ap;
    device::View<double> x;
    device::View<double> r;
};
[[nodiscard]] LaneScalars update(const UpdatePass& pass, int width,
                                 device::View<const std::uint8_t> owned, device::Queue& queue);

}  // namespace kaname::lanes
