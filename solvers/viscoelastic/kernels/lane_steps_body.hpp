// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/quad.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

/// What one GPU thread does: number i of all lanes. Tests run them on the CPU.
namespace kaname::viscoelastic::body {

struct SpreadFirstLane {
    lanes::Quad<double>* x;
    KANAME_HD void operator()(std::int64_t i) const {
        lanes::Quad<double> value = x[i];
        KANAME_UNROLL(4)
        for (int lane = 1; lane < lanes::kLanes; ++lane) {
            value.v[lane] = value.v[0];
        }
        x[i] = value;
    }
};

struct TakeFirstLane {
    const double* x;
    double* first;
    KANAME_HD void operator()(std::int64_t i) const { first[i] = x[i * lanes::kLanes]; }
};

struct ShiftLanes {
    LaneShift shift;
    lanes::Quad<double>* x;
    KANAME_HD void operator()(std::int64_t i) const {
        constexpr int kLast = lanes::kLanes - 1;
        lanes::Quad<double> value = x[i];
        KANAME_UNROLL(4)
        for (int lane = 0; lane < kLast; ++lane) {
            value.v[lane] = value.v[lane + 1];
        }
        value.v[kLast] = 0.0;
        if (shift.newest == NewestLane::Line) {
            KANAME_UNROLL(7)
            for (int k = 0; k < LaneShift::kTerms; ++k) {
                value.v[kLast] += shift.weight[k] * shift.increment[k][i];
            }
        } else if (shift.newest == NewestLane::Ab2) {
            if constexpr (kLast > 1) {
                value.v[kLast] = 2.0 * value.v[kLast - 1] - value.v[kLast - 2];
            }
        }
        x[i] = value;
    }
};

}  // namespace kaname::viscoelastic::body
