// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/solve_reports.hpp"

#include "proto/report/report.hpp"

namespace kaname::compute {

using report::count;

v1::SolveReport report_of(const jobs::SolveSummary& summary, int ranks) {
    v1::SolveReport report;
    report.set_dof(count(summary.dof));
    report.set_ranks(count(ranks));
    report.set_device(summary.device);
    report.set_sources_done(count(summary.sources_done));
    report.set_sources_failed(count(summary.sources_failed));
    report.set_sources_reused(count(summary.sources_reused));
    report.set_solve_s(summary.solve_s);
    report.set_setup_s(summary.setup_s);
    report.set_mean_iterations(summary.mean_iterations);
    report.set_resumed_step(summary.resumed_step);
    report.mutable_warnings()->Assign(summary.warnings.begin(), summary.warnings.end());
    report.set_peak_bytes(summary.peak_bytes);
    return report;
}

v1::SessionReport report_of(const jobs::SolveSession& session) {
    v1::SessionReport report;
    report.set_dof(count(session.dof()));
    report.set_setup_s(session.setup_s());
    report.set_device(session.device());
    return report;
}

v1::PackReport report_of(const std::string& id, const jobs::PackOutcome& outcome) {
    v1::PackReport report;
    report.set_id(id);
    report.set_cancelled(outcome.cancelled);
    for (const jobs::SourceOutcome& solved : outcome.sources) {
        v1::PackReport::Source& source = *report.add_sources();
        source.set_id(solved.id);
        source.set_file(solved.file);
        source.set_failed(solved.failed);
        source.set_failure(solved.failure);
    }
    report.set_iterations(count(outcome.iterations));
    report.set_n_solves(count(outcome.solves));
    report.set_solve_s(outcome.solve_s);
    return report;
}

v1::PackageReport report_of(const jobs::PackageSummary& summary, const std::string& dataset) {
    v1::PackageReport report;
    report.set_dataset(dataset);
    report.set_sources_done(count(summary.sources_done));
    report.set_sources_failed(count(summary.sources_failed));
    report.set_sources_missing(count(summary.sources_missing));
    report.set_epochs(count(summary.epochs));
    report.set_stations(count(summary.stations));
    report.mutable_warnings()->Assign(summary.warnings.begin(), summary.warnings.end());
    report.set_max_displacement_m(summary.max_displacement_m);
    return report;
}

}  // namespace kaname::compute
