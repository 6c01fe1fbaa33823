// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"

#include <algorithm>
#include <iostream>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/ader_dg/verbs/seismic_job_from_request.hpp"
#include "worker/jobs/frame/calibration_cache.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/waves/verbs/wave_verbs.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

jobs::SeismicJob load_job(const Call& call) {
    v1::SeismicWaves waves;
    request::from_json(request::read_text_file(call.spec), "file '" + call.spec + "'", waves);
    locate_stored_files(waves, call.spec, call.files);
    return seismic_job_from_spec(request::check_seismic_waves(std::move(waves)));
}

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "sizes of the mesh");
    const jobs::SeismicJob job = load_job(call);
    return report_preflight(job, jobs::preflight_seismic(job), runtime);
}

int run_mesh(const Call& call, Runtime& runtime) {
    return make_mesh(call, runtime, [&](const jobs::MeshProgress& progress) {
        return jobs::mesh_seismic(load_job(call), call.out, progress);
    });
}

int run_solve(const Call& call, Runtime& runtime) {
    jobs::SeismicJob job = load_job(call);
    return solve_seismic(
        job,
        [&](const std::string& mesh, const std::string& work, comm::Comm& comm) {
            return jobs::open_seismic(job, mesh, work, comm);
        },
        call, runtime);
}

int run_package(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("package", 0.0, "collecting sources");
    const jobs::SeismicJob job = load_job(call);
    return report_package(jobs::package_seismic(job, input(call, kMeshInput),
                                                sources_of(job, call, {kMeshInput}), call.out),
                          call, runtime.reporter);
}

int run_read(const Call& call, Runtime& runtime) {
    const jobs::SeismicJob job = load_job(call);
    const auto reader = jobs::read_seismic(job);
    return read_sources(*reader, std::cin, runtime.reporter);
}

}  // namespace

const Kind& seismic_waves_kind() {
    static const Kind kind{
        .schemas = {v1::SeismicWaves::descriptor()->full_name()},
        .verbs = {
            {.name = "preflight",
             .what = "Check places, sizes, memory and time before anything is computed",
             .once = run_preflight},
            {.name = "mesh", .what = "Build the mesh", .out = Use::Must, .once = run_mesh},
            {.name = "solve",
             .what = "Solve every source, or with --serve those that are asked for; on any number "
                     "of ranks",
             .inputs = {kMeshInput},
             .work = Use::Must,
             .on_ranks = true,
             .once = run_solve,
             .serve = run_solve},
            {.name = "package",
             .what = "Collect the sources' seismograms in one dataset",
             .inputs = {kMeshInput},
             .more_inputs = true,
             .out = Use::Must,
             .work = Use::May,
             .once = run_package},
            {.name = "read",
             .what = "Answer with the seismograms of sources that are named on standard input",
             .inputs = {kMeshInput},
             .once = run_read}}};
    return kind;
}

namespace {

constexpr double kMesh_s = 6e-5;     ///< per element
constexpr double kSetup_s = 4e-6;    ///< per element
constexpr double kPackage_s = 5e-9;  ///< per byte of the dataset
constexpr double kLeast_s = 0.1;     ///< of a program that begins

std::string stage_key(const jobs::SeismicJob& job) {
    return "pack-" + jobs::seismic_speed_key(job);
}

/// Returns the time [s] that a pack of `sources` is expected to take, before it is corrected by the
/// times of earlier packs.
double pack_seconds(const jobs::SeismicJob& job, double updates, std::int64_t sources,
                    CalibrationCache& book) {
    const auto lanes = std::min(jobs::kWavePack, sources);
    const std::string key = jobs::seismic_speed_key(job) + "x" + std::to_string(lanes) + "@" +
                            std::to_string(device::max_threads());
    const jobs::Speed speed = book.find_or_measure(key, [&] {
        return jobs::Speed{jobs::measure_seismic_speed(job), kSetup_s};
    });
    return speed.iteration_s * updates * static_cast<double>(lanes);
}

/// Notes how long a pack took beside what was expected.
void note_pack(const jobs::SeismicJob& job, const jobs::SeismicSession& session,
               const jobs::PackOutcome& outcome) {
    CalibrationCache book = CalibrationCache::of_this_machine();
    const double predicted =
        pack_seconds(job, session.updates(), std::ssize(outcome.sources), book);
    if (predicted >= 1.0) {
        book.record(stage_key(job), outcome.solve_s / predicted);
    }
}

}  // namespace

int report_preflight(const jobs::SeismicJob& job, const jobs::SeismicPreflight& found,
                     Runtime& runtime) {
    if (!found.violations.empty()) {
        throw ValidationError(found.violations);
    }
    CalibrationCache book = CalibrationCache::of_this_machine();
    const auto elements = static_cast<double>(found.tets);
    WaveTimes times;
    times.mesh_s = kLeast_s + kMesh_s * elements;
    times.setup_s = kLeast_s + kSetup_s * elements;
    times.pack_s = kLeast_s + pack_seconds(job, found.updates, found.sources, book);
    times.package_s = times.setup_s + kPackage_s * found.dataset_bytes;
    runtime.reporter.result("preflight", timed_estimate(found, times, book.past(stage_key(job))));
    return run::kExitOk;
}

int make_mesh(const Call& call, Runtime& runtime,
              const std::function<jobs::MeshSummary(const jobs::MeshProgress&)>& mesh) {
    Reporter& reporter = runtime.reporter;
    reporter.progress(kMeshInput, 0.0, "starting");
    PhaseTimes times;
    times.enter("setting up");
    const jobs::MeshSummary summary = mesh([&](double fraction, const std::string& stage) {
        times.enter(stage);
        reporter.progress(kMeshInput, fraction, stage);
    });
    return report_mesh(summary, times.text(), call.out, reporter);
}

int solve_seismic(jobs::SeismicJob& job, const OpenSession& open, const Call& call,
                  Runtime& runtime) {
    job.placement = placement_of(call, runtime);
    if (runtime.comm.rank() == 0) {
        runtime.reporter.progress("solve", 0.0, "setting up");
    }
    const auto session = open(input(call, kMeshInput), call.work, runtime.comm);
    return solve_packs(
        job, *session, [&](const jobs::PackOutcome& outcome) { note_pack(job, *session, outcome); },
        call, runtime);
}

}  // namespace kaname::compute
