// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/motion_per_residual.hpp"
#include "solvers/viscoelastic/spectrum/reduced_model.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_error.hpp"

namespace kaname::viscoelastic {

/// RangeErrorParts holds the data from which range_error() finds the error in time; [4] each. It
/// outlives its use.
struct RangeErrorParts {
    double end_s = 0.0;
    LaneNorms left{};   ///< norm of the forces that the elastic solve left
    LaneNorms least{};  ///< motion below which the change is not looked at closer
    const MotionPerResidual* motion_per_residual = nullptr;
    /// || sum_j load_j q_j - sum_p K_p V c_p ||; load [groups], c [1 + groups][n].
    std::function<LaneNorms(std::span<const double> load,
                            std::span<const ReducedModel::LaneRows> c)>
        residual;
    std::function<LaneNorms(const ReducedModel::LaneRows& c)> size;  ///< largest motion of V c
};

/// As SpectrumError, for any relaxation [groups] of the groups and through inverse transforms in
/// place of modes: bound of the error at all times up to the end, over the largest change in all
/// that time, of the worst source.
[[nodiscard]] double range_error(const ReducedModel& model, std::span<const Relaxation> relaxation,
                                 const RangeErrorParts& parts);

/// motion / size; infinite where that is no number, so that nothing broken passes for exact. No
/// motion is no error.
[[nodiscard]] double relative_error(double motion, double size);

}  // namespace kaname::viscoelastic
