// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/inversion/inversion_kind.hpp"

#include <sstream>

#include "proto/report/report.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/jobs/geometry/available_memory.hpp"
#include "worker/compute/build_report.hpp"
#include "worker/compute/inversion/inversion_estimate.hpp"
#include "worker/compute/inversion/inversion_report.hpp"
#include "worker/compute/inversion/job_from_spec.hpp"
#include "worker/compute/inversion/stored_inversion.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "reading data");
    const spec::LoadedInversion spec = load_stored_inversion(call.spec, call.files);
    runtime.reporter.result("preflight", estimate_of(spec, device::max_threads()));
    return run::kExitOk;
}

int run_invert(const Call& call, Runtime& runtime) {
    Reporter& reporter = runtime.reporter;
    reporter.log(program_text() + ", " + std::to_string(device::max_threads()) + " threads");
    reporter.progress("invert", 0.0, "reading data");
    const spec::LoadedInversion spec = load_stored_inversion(call.spec, call.files);
    const jobs::InversionJob job = job_from_spec(spec);
    const jobs::InversionSummary summary = jobs::invert(
        job, spec.inversion.greens().path(), call.out,
        [&](const jobs::InversionProgress& progress) {
            reporter.progress("invert", progress.fraction, progress.text);
        },
        [&](const jobs::InversionSummary& found) {
            v1::InversionReport kept = report_of(found, job, "", spec.warnings);
            kept.clear_stations();  // the file has their residuals
            return report::to_json(kept, report::Layout::Line);
        });
    const v1::InversionReport report = report_of(summary, job, call.out, spec.warnings);
    std::istringstream lines(report.text());
    for (std::string line; std::getline(lines, line);) {
        reporter.log(line);
    }
    reporter.log("time: " + formatted("%.1f s", summary.seconds) + "; memory " +
                 gib(jobs::peak_bytes()) + " at most");
    reporter.progress("invert", 1.0, "done");
    reporter.result("invert", report);
    return run::kExitOk;
}

}  // namespace

const Kind& inversion_kind() {
    static const Kind kind{
        .schemas = {v1::Inversion::descriptor()->full_name()},
        .verbs = {{.name = "preflight",
                   .what = "Check geometry, memory and time before anything is computed",
                   .once = run_preflight},
                  {.name = "invert",
                   .what = "Find slip from observed motion",
                   .out = Use::Must,
                   .once = run_invert}}};
    return kind;
}

}  // namespace kaname::compute
