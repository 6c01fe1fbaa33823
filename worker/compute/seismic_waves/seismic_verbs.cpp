// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/seismic_waves/seismic_verbs.hpp"

#include <algorithm>

#include "solvers/device/threads.hpp"
#include "worker/compute/inputs.hpp"
#include "worker/compute/mesh_verbs.hpp"
#include "worker/compute/phase_times.hpp"
#include "worker/compute/reports.hpp"
#include "worker/compute/speed_book.hpp"
#include "worker/compute/waves/wave_verbs.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
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
                    SpeedBook& book) {
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
    SpeedBook book = SpeedBook::of_this_machine();
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
    SpeedBook book = SpeedBook::of_this_machine();
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
