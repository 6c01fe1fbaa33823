// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/jobs/spec/choices.hpp"

namespace kaname::jobs {

/// How the unit slip of every source comes about, or the data of sides.
struct SlipHistory {
    HistoryKind kind{};
    double duration_s = 0.0;  ///< duration of a ramp, or of a steady growth by 1
    double time_constant_s = 0.0;
    std::vector<double> times_s = {}, slip = {};  ///< rows of a table; equal times are a jump
};

/// Epochs, and how the time up to them is solved for.
struct TimeSpec {
    TimeMethod method{};
    double step_s = 0.0;      ///< 0: a fifth of the shortest relaxation time
    double max_step_s = 0.0;  ///< > step_s: steps double every few steps up to it
    double end_s = 0.0;
    double alpha = 0.0;  ///< time integration: 1/2 midpoint, 1 implicit Euler
    double spectrum_tolerance = 0.0;
    std::vector<double> epochs_s;  ///< none: every step
};

}  // namespace kaname::jobs
