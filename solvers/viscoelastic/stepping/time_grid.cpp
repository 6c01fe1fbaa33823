// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/time_grid.hpp"

#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {

int TimeGrid::total_steps() const {
    int total = n_steps;
    for (const Run& run : later) {
        total += run.n_steps;
    }
    return total;
}

std::vector<double> TimeGrid::times_s() const {
    std::vector<double> times;
    double start = 0.0;
    const auto add = [&](double dt, int n) {
        for (int k = 1; k <= n; ++k) {
            times.push_back(start + k * dt);
        }
        start += n * dt;
    };
    times.push_back(0.0);
    add(dt_s, n_steps);
    for (const Run& run : later) {
        add(run.dt_s, run.n_steps);
    }
    return times;
}

double TimeGrid::step_s(int step) const {
    if (step <= n_steps) {
        return dt_s;
    }
    int before = n_steps;
    for (const Run& run : later) {
        if (step <= before + run.n_steps) {
            return run.dt_s;
        }
        before += run.n_steps;
    }
    return later.empty() ? dt_s : later.back().dt_s;
}

const TimeGrid& TimeGrid::checked() const {
    const auto check_step = [](double dt_s, int n_steps) {
        if (n_steps > 0 && !(dt_s > 0.0)) {
            throw Error(ErrorCode::InvalidArgument,
                        "time.step_s must be > 0, got " + std::to_string(dt_s));
        }
    };
    check_step(dt_s, n_steps);
    for (const Run& run : later) {
        check_step(run.dt_s, run.n_steps);
    }
    if (!(alpha >= 0.5 && alpha <= 1.0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "time.alpha must lie in [0.5, 1], got " + std::to_string(alpha));
    }
    return *this;
}

}  // namespace kaname::viscoelastic
