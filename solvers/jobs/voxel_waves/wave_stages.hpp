// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/jobs/spec/stage.hpp"
#include "solvers/jobs/voxel_waves/wave_job.hpp"
#include "solvers/voxelwave/kernels/points.hpp"

namespace kaname::jobs {

/// Sources of a pack.
inline constexpr std::int64_t kWavePack = voxelwave::kMostLoads;

/// What there is to do, before anything is computed. Violations are of places, steps and files.
[[nodiscard]] Preflight preflight_waves(const WaveJob& job);
/// Seconds per voxel, step and source on this machine, measured on a small block of the job's
/// element and precision with the threads of device::set_threads; about a second.
[[nodiscard]] double measure_wave_speed(const WaveJob& job);
/// Jobs of one key run at one speed on a machine.
[[nodiscard]] std::string wave_speed_key(const WaveJob& job);

/// Packs of up to four sources. Collective; the job lives as long as the session.
[[nodiscard]] std::unique_ptr<SolveSession> open_waves(const WaveJob& job,
                                                       const std::string& work_dir,
                                                       comm::Comm& comm);

/// Told on rank 0 while all sources are solved.
struct WaveObserver {
    std::function<void(const std::vector<std::string>& ids)> begin;
    std::function<void(const SolveProgress&)> step;
    std::function<void(const PackOutcome&)> end;
};
/// All sources that have no result yet, pack after pack. Collective.
SolveSummary solve_waves(const WaveJob& job, SolveSession& session, const std::string& work_dir,
                         comm::Comm& comm, const WaveObserver& observer);

/// Where the result of a source lies in the work folder.
[[nodiscard]] std::string wave_path(const std::string& work_dir, const std::string& source_id);
/// The job's sources that have a file there.
[[nodiscard]] SourceFiles find_waves(const WaveJob& job, const std::string& work_dir);

/// Packs the sources in `files`; the others are missing in the dataset.
PackageSummary package_waves(const WaveJob& job, const SourceFiles& files,
                             const std::string& dataset_path);
/// The job lives as long as the reader; epochs are samples, stations receivers.
[[nodiscard]] std::unique_ptr<SourceReader> read_waves(const WaveJob& job);

}  // namespace kaname::jobs
