// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace kaname::viscoelastic {

/// Nodes and weights of an inverse Laplace transform along a hyperbola around the negative real
/// axis, on which all singularities of a relaxing body lie (Weideman and Trefethen, Math. Comp. 76,
/// 2007, section 4: z(u) = mu (1 + sin(i u - alpha)), trapezoidal rule):
///   f(t) = Re sum_k weight_k(t) F(s_k)
/// for F with F(conj s) = conj F(s). Times are cut into windows of a decade with nodes of their
/// own. What a sum of decaying exponentials comes out with is exact to 2e-9 of its largest value.
struct LaplaceContour {
    /// Times that share their nodes.
    struct Window {
        std::size_t first_node = 0, n_nodes = 0;
        std::vector<std::size_t> times;             ///< indices into times_s
        std::vector<std::complex<double>> weights;  ///< [times of the window][n_nodes]
    };
    std::vector<std::complex<double>> s;  ///< all nodes, in the upper half plane [1/s]
    std::vector<Window> windows;
};

/// times_s in any order; a time of 0 is in no window (initial values are not to be had from a
/// contour). Throws InvalidArgument for a time that is negative or not finite.
[[nodiscard]] LaplaceContour laplace_contour(std::span<const double> times_s);

}  // namespace kaname::viscoelastic
