// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"

namespace kaname::aderdg {

/// YieldTerms of a tet, [YieldTerms::kSize]; a liquid never yields.
[[nodiscard]] std::vector<double> yield_terms(const WaveModel& model, const TetTopology& topology,
                                              std::int64_t tet);

/// 1 - exp(-dt/T_v): the part of a stress beyond the strength that relaxes in a step.
[[nodiscard]] double relaxing_part(const WaveModel& model, double step_s);

/// Throws ValidationError for the first place where cohesion or friction is below 0, or where
/// anything is not finite.
void check_plasticity(const WaveModel& model);

/// Returns the memory that plasticity adds to solver_bytes() [B].
[[nodiscard]] double plasticity_bytes(std::int64_t elements, Precision precision);

/// Volume [m3] of the tets that yield before any wave comes, at one of their vertices at least:
/// there the initial stress relaxes by itself, which is rarely meant.
[[nodiscard]] double yielding_volume_m3(const WaveModel& model);

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
