// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "solvers/jobs/greens/source_time_function.hpp"

namespace kaname::jobs {

/// Epochs under a slip history as sums over Laplace shifts, the same for all sources and
/// rheologies. With the inverse transform U(t) = Re sum_k w_k(t) s_k U(s_k) of the answer to a
/// step, whose transform times s is the elastic problem's answer at the shift s (LaplaceContour),
///   u(epoch) = sum_i slip_i U(lag_i) = Re sum_k W_k(epoch) [s U](s_k)  (SourceTimeFunction::parts)
class AnswerTimes {
public:
    /// `fastest_per_s`: the fastest rate that U has, 0 for none.
    AnswerTimes(std::span<const double> epochs_s, const SourceTimeFunction& history,
                double fastest_per_s);

    [[nodiscard]] std::span<const double> epochs_s() const { return epochs_s_; }
    /// [epochs] slip by then, of 1 in all.
    [[nodiscard]] std::span<const double> slip() const { return slip_; }
    [[nodiscard]] std::span<const std::complex<double>> shifts() const { return shifts_; }
    /// W [epochs][shifts].
    [[nodiscard]] std::span<const std::complex<double>> weights() const { return weights_; }

private:
    std::vector<double> epochs_s_, slip_;
    std::vector<std::complex<double>> shifts_, weights_;
};

}  // namespace kaname::jobs
