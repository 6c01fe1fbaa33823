// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace kaname::jobs {

/// Speed is the time that a machine takes for one unit of each kind of work. It is measured once
/// per build, see Stages::measure_speed.
struct Speed {
    double iteration_s = 0.0;  ///< a conjugate gradient iteration of four sources, per unknown
    double setup_s = 0.0;      ///< nodes, model and matrices, per unknown
};

/// JobSize gives the amount of work in the stages of a job.
struct JobSize {
    std::int64_t tets = 0, dof = 0;
    std::int64_t sources = 0, epochs = 0, stations = 0;
    double effort = 1.0;  ///< work of an iteration, relative to one of the calibration
};

/// StageCost is the predicted time of one stage. Stages with the same key share the error of their
/// predictions (iterations, cache, another mesher), so that the real time of one corrects the
/// others.
struct StageCost {
    std::string key;
    double seconds = 0.0;
};

/// A job takes mesh + set-up + one pack after another + package.
struct JobCosts {
    StageCost mesh, setup, pack, package;
};

}  // namespace kaname::jobs
