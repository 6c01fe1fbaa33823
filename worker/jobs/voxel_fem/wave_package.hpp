// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solvers/comm/comm.hpp"
#include "worker/jobs/voxel_fem/wave_job.hpp"
#include "worker/jobs/waves/wave_packs.hpp"

namespace kaname::jobs {

/// Checks a job and estimates its size, before anything is computed. Violations are of places,
/// steps and files.
[[nodiscard]] Preflight preflight_waves(const WaveJob& job);
/// Measures the seconds per voxel, step and source on this machine, which takes about a second. It
/// uses a small block of the job's element and precision with the threads of device::set_threads.
[[nodiscard]] double measure_wave_speed(const WaveJob& job);
/// Returns the key of a job's speed: jobs of one key run at one speed on a machine.
[[nodiscard]] std::string wave_speed_key(const WaveJob& job);

/// Opens a session that solves packs of up to four sources. Collective; the job lives as long as
/// the session.
[[nodiscard]] std::unique_ptr<SolveSession> open_waves(const WaveJob& job,
                                                       const std::string& work_dir,
                                                       comm::Comm& comm);

/// Packs the sources in `files`; the others are missing in the dataset.
PackageSummary package_waves(const WaveJob& job, const SourceFiles& files,
                             const std::string& dataset_path);
/// The job lives as long as the reader; epochs are samples, stations receivers.
[[nodiscard]] std::unique_ptr<SourceReader> read_waves(const WaveJob& job);

}  // namespace kaname::jobs
