// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/jobs/spec/stage.hpp"
#include "worker/compute/speed_book.hpp"

namespace kaname::compute {

/// Forecast holds the time [s] that a job's stages are expected to take on this machine. A job
/// takes mesh_s + setup_s + packs pack_s + package_s, within a factor of `spread` either way.
struct Forecast {
    double mesh_s = 0.0, setup_s = 0.0, pack_s = 0.0, package_s = 0.0;
    double spread = 1.0;
};

/// Times from counts and this machine's speed with `threads` threads in all, which is measured
/// where it is not known; corrected by what earlier stages took.
[[nodiscard]] Forecast forecast(const jobs::Stages& stages, const jobs::GreensJob& job,
                                const jobs::Preflight& found, int threads, SpeedBook& book);

/// Notes what a stage has taken. Those predicted to be short say little, and where the speed is not
/// known nothing is compared with.
void note_time(const jobs::Stages& stages, const jobs::GreensJob& job, const jobs::JobSize& size,
               int threads, jobs::StageCost jobs::JobCosts::*stage, double seconds,
               SpeedBook& book);

}  // namespace kaname::compute
