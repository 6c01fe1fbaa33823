// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

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

/// Sizes beside those at the fault and far from it; 0: none.
struct VolumeSizes {
    struct Depth {
        double depth_m = 0.0, size_m = 0.0;  ///< elements above depth_m are no larger than size_m
        double reach_m = 0.0;                ///< so far from the fault; 0: as far as other details
    };
    double at_surface_m = 0.0, at_stations_m = 0.0;
    std::vector<Depth> by_depth;
    std::int64_t max_elements = 0;
    double thinnest_layer = 0.0;  ///< in element sizes: thinner layers merge with a neighbour
};

/// Sizes of the elements of a mesh that Kaname makes.
struct MeshSpec {
    double size_at_fault_m = 0.0, size_far_m = 0.0, growth = 0.0;
    VolumeSizes sizes;
};

}  // namespace kaname::jobs
