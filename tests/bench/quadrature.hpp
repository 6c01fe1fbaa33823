// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "solvers/viscoelastic/kernels/internal_force.hpp"

namespace kaname::bench {

/// y += K x by the four-point rule, exact for P2 on straight tetrahedra: the textbook loop, one
/// vector, FP64, no SIMD by hand; the line that the element operators are compared with.
///   x, y [N][3], scaled units. Threads take blocks of one colour, as the operators do.
void quadrature_apply(const viscoelastic::ElementData& data, std::span<const double> x,
                      std::span<double> y);

/// Per element: 4 points x (gradients of ten functions 10 x 3 x 5, displacement gradient
/// 10 x 9 x 2, stress 24, forces 10 x 3 x 6), and 30 to add to the nodes.
inline constexpr double kQuadratureFlop = 4 * (150 + 180 + 24 + 180) + 30;

}  // namespace kaname::bench
