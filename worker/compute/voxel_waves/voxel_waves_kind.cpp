// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/voxel_waves/voxel_waves_kind.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "proto/report/report.hpp"
#include "proto/spec/form/json.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "solvers/jobs/voxel_waves/wave_stages.hpp"
#include "worker/compute/build_report.hpp"
#include "worker/compute/choice_from_spec.hpp"
#include "worker/compute/rank_gpu.hpp"
#include "worker/compute/read_sources.hpp"
#include "worker/compute/serve_packs.hpp"
#include "worker/compute/solve_reports.hpp"
#include "worker/compute/speed_book.hpp"
#include "worker/compute/stored_files.hpp"
#include "worker/compute/voxel_waves/wave_job_from_spec.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using report::count;

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

/// What a pack of `sources` is expected to take, before what earlier packs took is looked at.
double pack_seconds(const jobs::WaveJob& job, const jobs::Preflight& found, SpeedBook& book) {
    const std::string key = jobs::wave_speed_key(job) + "@" + std::to_string(device::max_threads());
    const jobs::Speed speed = book.find_or_measure(key, [&] {
        return jobs::Speed{jobs::measure_wave_speed(job), kSetup_s};
    });
    const auto sources = static_cast<double>(std::min(jobs::kWavePack, found.sources));
    return speed.iteration_s * static_cast<double>(found.dof) / 3.0 *
           static_cast<double>(found.steps) * sources;
}

v1::Estimate timed_estimate(const jobs::WaveJob& job, const jobs::Preflight& found,
                            SpeedBook& book) {
    const SpeedBook::Past past = book.past(stage_key(job));
    v1::Estimate estimate = estimate_of(found);
    estimate.set_setup_s(kLeast_s + kSetup_s * static_cast<double>(found.dof) / 3.0);
    estimate.set_each_pack_s(kLeast_s + pack_seconds(job, found, book) * past.factor);
    estimate.set_package_s(kLeast_s + estimate.setup_s() + kPackage_s * found.dataset_bytes);
    estimate.set_solve_s(estimate.setup_s() +
                         static_cast<double>(found.packs) * estimate.each_pack_s());
    estimate.set_total_s(estimate.solve_s() + estimate.package_s());
    estimate.set_spread(past.spread);
    estimate.set_low_s(estimate.total_s() / past.spread);
    estimate.set_high_s(estimate.total_s() * past.spread);
    estimate.set_threads(count(device::max_threads()));
    return estimate;
}

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "building the model");
    const jobs::WaveJob job = load_job(call);
    const jobs::Preflight found = jobs::preflight_waves(job);
    if (!found.violations.empty()) {
        throw ValidationError(found.violations);
    }
    SpeedBook book = SpeedBook::of_this_machine();
    runtime.reporter.result("preflight", timed_estimate(job, found, book));
    return run::kExitOk;
}

std::string text_of(const jobs::SolveProgress& progress) {
    return "step " + std::to_string(progress.step) + "/" + std::to_string(progress.steps);
}

std::vector<std::string> facts_of(const jobs::SolveSession& session, int ranks) {
    return {program_text() + ", " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
                " x " + std::to_string(device::max_threads()) + " threads, device " +
                session.device(),
            std::to_string(session.dof()) + " unknowns, element " + session.element() + ", " +
                session.time_text() + ", set up in " + formatted("%.1f s", session.setup_s())};
}

/// Lines of a pack's log, about a hundred.
PackObserver observer_of(const jobs::WaveJob& job, const jobs::SolveSession& session, int ranks,
                         Reporter& reporter) {
    PackObserver observer;
    observer.begin = [&session, ranks, &reporter](const std::vector<std::string>&) {
        for (const std::string& fact : facts_of(session, ranks)) {
            reporter.log(fact);
        }
    };
    observer.step = [&reporter, told = 0.0](const jobs::SolveProgress& progress) mutable {
        report_step(progress, text_of(progress), reporter);
        told = progress.fraction < told ? 0.0 : told;
        if (progress.fraction >= told + 0.01 || progress.step == progress.steps) {
            told = progress.fraction;
            reporter.log(text_of(progress));
        }
    };
    observer.end = [&job, &session, &reporter](const jobs::PackOutcome& outcome, double peak_bytes,
                                               bool whole) {
        for (const jobs::SourceOutcome& source : outcome.sources) {
            reporter.log(source.id + (source.failed ? ": failed: " + source.failure : ": done"));
        }
        reporter.log((outcome.cancelled ? "cancelled" : "solved") +
                     formatted(" after %.1f s; memory ", outcome.solve_s) + gib(peak_bytes) +
                     " at most");
        if (whole && !outcome.cancelled && session.device() == "cpu") {
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
    };
    return observer;
}

int run_solve(const Call& call, Runtime& runtime) {
    jobs::WaveJob job = load_job(call);
    job.placement = {choice_from<jobs::DeviceChoice>(call.device, "device"), runtime.local_rank};
    probe_rank(job.placement, runtime.gpu);
    comm::Comm& comm = runtime.comm;
    Reporter& reporter = runtime.reporter;
    const bool first = comm.rank() == 0;
    if (first) {
        reporter.progress("solve", 0.0, "building the model");
    }
    const auto session = jobs::open_waves(job, call.work, comm);
    const PackObserver observer = observer_of(job, *session, comm.size(), reporter);
    if (call.serve) {
        if (first) {
            reporter.result("ready", report_of(*session));
        }
        serve_packs(*session, observer, comm, runtime.commands, reporter, [] { return true; });
        return run::kExitOk;
    }
    const jobs::SolveSummary summary =
        jobs::solve_waves(job, *session, call.work, comm,
                          {[&](const std::vector<std::string>& ids) { observer.begin(ids); },
                           [&](const jobs::SolveProgress& progress) { observer.step(progress); },
                           [&](const jobs::PackOutcome& outcome) {
                               observer.end(outcome, jobs::peak_bytes(), true);
                           }});
    if (first) {
        reporter.log(std::to_string(summary.sources_done) + " sources solved, " +
                     std::to_string(summary.sources_failed) + " failed, " +
                     std::to_string(summary.sources_reused) + " were there; memory " +
                     gib(summary.peak_bytes) + " at most");
        reporter.progress("solve", 1.0, "done");
        reporter.result("solve", report_of(summary, comm.size()));
    }
    return summary.sources_failed > 0 ? run::kExitSomeFailed : run::kExitOk;
}

int run_package(const Call& call, Runtime& runtime) {
    Reporter& reporter = runtime.reporter;
    if (call.work.empty() == call.inputs.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "package takes sources from --work or as inputs, one of them");
    }
    reporter.progress("package", 0.0, "collecting sources");
    const jobs::WaveJob job = load_job(call);
    const jobs::PackageSummary summary = jobs::package_waves(
        job, call.work.empty() ? call.inputs : jobs::find_waves(job, call.work), call.out);
    reporter.log("seismograms: " + std::to_string(summary.sources_done) + " sources done, " +
                 std::to_string(summary.sources_failed) + " failed, " +
                 std::to_string(summary.sources_missing) + " missing; " +
                 std::to_string(summary.stations) + " receivers, " +
                 std::to_string(summary.epochs) + " samples");
    for (const std::string& lack : summary.lacks) {
        reporter.log("lacks " + lack);
    }
    for (const std::string& warning : summary.warnings) {
        reporter.log("warning: " + warning);
    }
    reporter.progress("package", 1.0, "done");
    reporter.result("package", report_of(summary, call.out));
    const bool complete = summary.sources_failed == 0 && summary.sources_missing == 0;
    return complete ? run::kExitOk : run::kExitSomeFailed;
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
