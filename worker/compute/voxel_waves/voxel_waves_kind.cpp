// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/voxel_waves/voxel_waves_kind.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "proto/spec/form/json.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"
#include "worker/compute/read_sources.hpp"
#include "worker/compute/stored_files.hpp"
#include "worker/compute/voxel_waves/wave_job_from_spec.hpp"
#include "worker/compute/waves/wave_verbs.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

constexpr double kSetup_s = 1e-7;    ///< per voxel
constexpr double kPackage_s = 5e-9;  ///< per byte of the dataset
constexpr double kLeast_s = 0.05;    ///< of a program that begins

jobs::WaveJob load_job(const Call& call) {
    v1::VoxelWaves waves;
    spec::from_json(spec::read_text_file(call.spec), "file '" + call.spec + "'", waves);
    locate_stored_files(waves, call.spec, call.files);
    return wave_job_from_spec(spec::check_voxel_waves(std::move(waves)));
}

std::string stage_key(const jobs::WaveJob& job) {
    return "pack-" + jobs::wave_speed_key(job);
}

/// Returns the time [s] that a pack of `sources` is expected to take, before it is corrected by the
/// times of earlier packs.
double pack_seconds(const jobs::WaveJob& job, const jobs::Preflight& found, SpeedBook& book) {
    const std::string key = jobs::wave_speed_key(job) + "@" + std::to_string(device::max_threads());
    const jobs::Speed speed = book.find_or_measure(key, [&] {
        return jobs::Speed{jobs::measure_wave_speed(job), kSetup_s};
    });
    const auto sources = static_cast<double>(std::min(jobs::kWavePack, found.sources));
    return speed.iteration_s * static_cast<double>(found.dof) / 3.0 *
           static_cast<double>(found.steps) * sources;
}

WaveTimes times_of(const jobs::WaveJob& job, const jobs::Preflight& found, SpeedBook& book) {
    WaveTimes times;
    times.setup_s = kLeast_s + kSetup_s * static_cast<double>(found.dof) / 3.0;
    times.pack_s = kLeast_s + pack_seconds(job, found, book);
    times.package_s = kLeast_s + times.setup_s + kPackage_s * found.dataset_bytes;
    return times;
}

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "building the model");
    const jobs::WaveJob job = load_job(call);
    const jobs::Preflight found = jobs::preflight_waves(job);
    if (!found.violations.empty()) {
        throw ValidationError(found.violations);
    }
    SpeedBook book = SpeedBook::of_this_machine();
    runtime.reporter.result(
        "preflight", timed_estimate(found, times_of(job, found, book), book.past(stage_key(job))));
    return run::kExitOk;
}

/// Notes how long a pack took beside what was expected.
void note_pack(const jobs::WaveJob& job, const jobs::SolveSession& session,
               const jobs::PackOutcome& outcome) {
    SpeedBook book = SpeedBook::of_this_machine();
    jobs::Preflight size;
    size.dof = session.dof();
    size.steps = outcome.solves;
    size.sources = std::ssize(outcome.sources);
    const double predicted = pack_seconds(job, size, book);
    if (predicted >= 1.0) {
        book.record(stage_key(job), outcome.solve_s / predicted);
    }
}

int run_solve(const Call& call, Runtime& runtime) {
    jobs::WaveJob job = load_job(call);
    job.placement = placement_of(call, runtime);
    if (runtime.comm.rank() == 0) {
        runtime.reporter.progress("solve", 0.0, "building the model");
    }
    const auto session = jobs::open_waves(job, call.work, runtime.comm);
    return solve_packs(
        job, *session, [&](const jobs::PackOutcome& outcome) { note_pack(job, *session, outcome); },
        call, runtime);
}

int run_package(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("package", 0.0, "collecting sources");
    const jobs::WaveJob job = load_job(call);
    return report_package(jobs::package_waves(job, sources_of(job, call), call.out), call,
                          runtime.reporter);
}

int run_read(const Call& call, Runtime& runtime) {
    const jobs::WaveJob job = load_job(call);
    const auto reader = jobs::read_waves(job);
    return read_sources(*reader, std::cin, runtime.reporter);
}

}  // namespace

const Kind& voxel_waves_kind() {
    static const Kind kind{
        .schemas = {v1::VoxelWaves::descriptor()->full_name()},
        .verbs = {
            {.name = "preflight",
             .what = "Check places, steps, memory and time before anything is computed",
             .once = run_preflight},
            {.name = "solve",
             .what = "Solve every source, or with --serve those that are asked for; on any number "
                     "of ranks",
             .work = Use::Must,
             .on_ranks = true,
             .once = run_solve,
             .serve = run_solve},
            {.name = "package",
             .what = "Collect the sources' seismograms in one dataset",
             .more_inputs = true,
             .out = Use::Must,
             .work = Use::May,
             .once = run_package},
            {.name = "read",
             .what = "Answer with the seismograms of sources that are named on standard input",
             .once = run_read}}};
    return kind;
}

}  // namespace kaname::compute
