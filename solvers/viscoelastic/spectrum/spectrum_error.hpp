// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/reduced_model.hpp"

namespace kaname::viscoelastic {

using LaneNorms = std::array<double, lanes::kLanes>;

/// a(s) is measured on other residuals and at other shifts than it is used for: the error was at
/// most 0.9 of the estimate without this factor (dense reference, contrasts to 1e6).
inline constexpr double kErrorSafety = 2.0;
/// Share of the motion right after the slip: a change that is less is not looked at closer.
inline constexpr double kLeastChange = 1e-3;

/// 1/t of the times that are looked at, ascending: from 1/end to ten times the fastest rate, before
/// which motion is linear in time.
[[nodiscard]] std::vector<double> shifts_between(std::span<const Relaxation> relaxation,
                                                 double end_s);

/// Sketches of what residuals of a reduced model are made of: norms of any combination without an
/// operator or a vector of the mesh. Each [4][buckets].
struct ResidualSketches {
    int buckets = 0;
    std::vector<std::vector<double>> q;                ///< [groups]
    std::vector<std::vector<std::vector<double>>> KW;  ///< [elastic, groups][basis / 4]

    /// || sum_j load_j q_j - sum_p K_p W c_p || of each lane; load [groups], c [elastic, groups].
    [[nodiscard]] LaneNorms norms(std::span<const double> load,
                                  std::span<const ReducedModel::LaneRows> c) const;
};

/// load and c of ResidualSketches::norms for the answer c at real moduli g [groups]:
///   sum (1 - g_j) q_j - K(g) W c
struct ResidualTerms {
    std::vector<double> load;
    std::vector<ReducedModel::LaneRows> c;
};
[[nodiscard]] ResidualTerms residual_terms(std::span<const double> g,
                                           const ReducedModel::LaneRows& c);

/// Error of the reduced model on all the basis so far.
struct SpectrumEstimate {
    double error = 0.0;   ///< bound of the relative error, worst source and time
    double time_s = 0.0;  ///< when the error is worst
    /// 1/t' of the residual that makes it so; 0: no shift would make it smaller.
    double next_shift_per_s = 0.0;
};

/// Error in time of the motion of some points, over the largest motion among them since the slip or
/// a thousandth of the slip's own where nothing moves as much (a vertical dip slip in a
/// half-space), up to `end` (docs/theory/viscoelastic.md, "Relaxation spectrum"). The reduced model
/// leaves
///   R(t) = sum_j ((1 - G_j(t)) q_j - K_j W h_j(t)) - K_el W c(t),   h_j = G_j * dc/dt,
/// and its error is the body's own response to the forces R. Creep compliances grow with time, so
///   |e(t)| <= a(1/t) max_(t' <= t) ||R(t')||
/// with a(s) the motion per residual of a solve at shift s, which every solve tells.
class SpectrumError {
public:
    SpectrumError(std::vector<Relaxation> relaxation, double end_s);

    /// Shifts to choose from, ascending: 1/t of the times that are looked at.
    [[nodiscard]] const std::vector<double>& shifts() const { return shifts_; }
    /// To solve at before there is an estimate: the largest, then down to the smallest. What stiff
    /// rock answers costs few iterations and is a start for the softer.
    [[nodiscard]] const std::vector<double>& first_shifts() const { return first_shifts_; }
    /// Forgets the last pack. `left`: norm of the forces that the elastic solve left; `elastic`:
    /// largest motion of the points right after the slip.
    void start(const LaneNorms& left, const LaneNorms& elastic);
    /// A solve at `shift` moved the points by at most `motion` against residuals `residual`.
    void calibrate(double shift_per_s, const LaneNorms& motion, const LaneNorms& residual);
    /// `seen`: motion [numbers][4] of the points for every four basis vectors. At least one
    /// calibrate() before.
    [[nodiscard]] SpectrumEstimate of(const ReducedModel& model, const ResidualSketches& sketches,
                                      std::span<const std::vector<double>> seen) const;

private:
    [[nodiscard]] LaneNorms motion_per_residual(double shift_per_s) const;
    [[nodiscard]] double unused_near(double shift_per_s) const;

    std::vector<Relaxation> relaxation_;
    std::vector<double> shifts_, first_shifts_;
    LaneNorms left_{}, least_{};
    std::map<double, LaneNorms> measured_;  ///< a(s) by shift
};

/// Largest |number| of each lane of sum_k seen_k c_k; c [4 seen.size()].
[[nodiscard]] LaneNorms largest_motion(std::span<const std::vector<double>> seen,
                                       const ReducedModel::LaneRows& c);

}  // namespace kaname::viscoelastic
