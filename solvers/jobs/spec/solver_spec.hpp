// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "solvers/jobs/spec/choices.hpp"

namespace kaname::jobs {

/// How the systems of equations are made and solved.
struct SolverSpec {
    SolverMethod method{};
    ElementChoice element{};
    PredictorKind predictor{};
    double tolerance = 0.0;
    int max_iterations = 0;
};

/// Where a solve runs. It concerns the machine, not the job, and is no part of a result's key.
struct Placement {
    DeviceChoice device{};
    int local_rank = 0;  ///< rank of this process among those of its machine
};

/// CheckpointOptions describes the checkpoints from which a killed solve can continue. They are no
/// part of a result's key either.
struct CheckpointOptions {
    CheckpointMode mode{};
    std::optional<double> interval_s = std::nullopt;  ///< absent: 60 s, or 20 write times
};

/// OutputSpec describes the contents of results, and the checkpoints of a solve.
struct OutputSpec {
    double snap_tolerance_m = 0.0;
    bool surface = false;  ///< results hold the motion of the whole surface
    CheckpointOptions checkpoint;
};

}  // namespace kaname::jobs
