// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace kaname::viscoelastic {

/// Time grid: the coseismic response at t = 0, then n_steps steps of dt_s, then those of `later`.
struct TimeGrid {
    struct Run {
        double dt_s;
        int n_steps;
    };
    double dt_s = 0.0;
    int n_steps = 0;
    double alpha = 0.5;           ///< generalised trapezoidal rule, [1/2, 1]
    std::vector<Run> later = {};  ///< each change of dt_s costs a new stiffness matrix

    [[nodiscard]] int total_steps() const;
    /// [total_steps() + 1], from 0.
    [[nodiscard]] std::vector<double> times_s() const;
    /// Length of step 1, 2, ...
    [[nodiscard]] double step_s(int step) const;
    /// Itself. Throws InvalidArgument for a length <= 0 where there are steps, alpha outside [1/2,
    /// 1].
    [[nodiscard]] const TimeGrid& checked() const;
};

}  // namespace kaname::viscoelastic
