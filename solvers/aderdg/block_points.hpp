// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/layout.hpp"
#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::aderdg {

/// A point source in a block: in a step its rate s adds s(t) amount[q] shape[k] per second to the
/// unknowns.
struct BlockSource {
    std::int32_t block = 0;
    int element = 0, lane = 0;
    std::int64_t source = 0;         ///< among those asked for
    std::vector<double> shape;       ///< [tet_modes(N)] M^-1 B(x) [1/m3]
    std::array<double, 9> amount{};  ///< -moment, and force/density
    std::function<double(double)> rate;
    double from_s = 0.0, until_s = 0.0;

    /// rate(t + x step) ~ sum_i c_i x^i, i = 0..N, by projection on Legendre's polynomials; false
    /// where it is 0 in all of the step.
    bool in_step(double t_s, double step_s, int N, std::span<double> c) const;
};

/// A point where three numbers are read: the velocity, or combinations of the unknowns.
struct BlockReceiver {
    std::int32_t block = 0;
    int element = 0;
    std::int64_t index = 0;       ///< among those asked for
    std::vector<double> values;   ///< B(x) of degree N, N - 1, ... 0, one after the other
    std::vector<double> weights;  ///< [3][9 + 6 mechanisms] of the unknowns; empty: the velocity
};

/// Holds a rank's sources, receivers and points for peaks, each sorted by block, and the place
/// where those of a block begin ([blocks + 1]). Strain point k is two receivers, xx, yy, zz and yz,
/// xz, xy, of each tet that it is the mean over (SourceSpread), behind the last receiver.
struct BlockPoints {
    std::vector<BlockSource> sources;
    std::vector<BlockReceiver> receivers, peaks;
    std::vector<std::int32_t> first_source, first_receiver, first_peak;
    /// `asked_for` maps the receivers of all ranks, by index, to the receiver asked for to which
    /// they add. Behind these, 2 k and 2 k + 1 stand for strain point k.
    std::vector<std::int64_t> asked_for;

    [[nodiscard]] static BlockPoints of(const WaveModel& model, const TetTopology& topology,
                                        const Layout& layout, const WavePoints& points, int order);
};

/// Multi-indices of the modes of a degree, in their order.
[[nodiscard]] std::vector<TetIndex> indices_of(int degree);

/// Bernstein polynomials of one degree at a point.
[[nodiscard]] std::vector<double> bernstein_at(int degree, const std::array<double, 4>& lambda);

/// Mass matrix of a tet of volume 1, [modes][modes].
[[nodiscard]] std::vector<double> mass_matrix(int degree);

}  // namespace kaname::aderdg
