// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kaname::aderdg {

/// Nodes of a tetrahedron for interpolation of a degree, barycentric, in the order of its modes:
/// Isaac's recursive ones (SIAM J. Sci. Comput. 42, 2020) from Lobatto's on edges. Those on a face
/// or edge are the ones of that face or edge, and their Lebesgue constants are 1, 2.0, 2.9, 4.1,
/// 5.5 and 7.1 at degrees 1 to 6.
[[nodiscard]] std::vector<std::array<double, 4>> interpolation_nodes(int degree);

/// Rows of a matrix without its zeros.
template <class T>
struct SparseRows {
    std::vector<std::int32_t> first = {0};
    std::vector<std::uint8_t> column;
    std::vector<T> value;
};

/// Between Bernstein's coefficients of degree N and values at the nodes. Both ways are sparse: what
/// lies on a vertex, edge or face depends on the modes there only.
struct YieldTables {
    explicit YieldTables(int degree);

    std::vector<std::array<double, 4>> nodes;
    std::vector<double> vertex_share;  ///< [modes][4] of a linear function's coefficients
    SparseRows<double> to_nodes;       ///< rows nodes, columns modes
    SparseRows<double> to_modes;
    /// Integrals over a volume of 1 of a node's polynomial (1 there, 0 at the others) times those
    /// of each mode, [nodes][modes], and of each vertex's barycentric coordinate, [nodes][4].
    std::vector<double> times_modes, times_vertices;
    /// Weights > 0 of the nodes for a mean over the element, sum 1: nearest to exact for
    /// polynomials up to the degree among those that are not below about half of 1/n.
    std::vector<double> mean;
};

}  // namespace kaname::aderdg
