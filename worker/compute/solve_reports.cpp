// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/solve_reports.hpp"

#include "proto/report/report.hpp"

namespace kaname::compute {

using report::count;

v1::Estimate estimate_of(const jobs::Preflight& found) {
    v1::Estimate estimate;
    estimate.set_vertices(count(found.vertices));
    estimate.set_tets(count(found.tets));
    estimate.set_dof(count(found.dof));
    estimate.set_sources(count(found.sources));
    estimate.set_packs(count(found.packs));
    estimate.set_stations(count(found.stations));
    estimate.set_steps(count(found.steps));
    estimate.set_epochs(count(found.epochs));
    estimate.set_method(found.method);
    estimate.set_first_step_s(found.step_s);
    estimate.set_longest_step_s(found.longest_step_s);
    estimate.set_end_s(found.end_s);
    estimate.set_shortest_relaxation_time_s(found.shortest_relaxation_time_s);
    estimate.set_solve_bytes(found.solve_bytes);
    estimate.set_gpu_bytes(found.gpu_bytes);
    estimate.set_available_bytes(found.available_bytes);
    estimate.set_dataset_bytes(found.dataset_bytes);
    estimate.set_surface_bytes(found.surface_bytes);
    estimate.set_surface_stored(found.surface_stored);
    estimate.mutable_warnings()->Assign(found.warnings.begin(), found.warnings.end());
    estimate.mutable_notes()->Assign(found.notes.begin(), found.notes.end());
    return estimate;
}

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
