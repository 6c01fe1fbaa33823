// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/summary.hpp"

#include "proto/report/report.hpp"
#include "solvers/base/pack.hpp"

namespace kaname::cli {
namespace {

void add_row(const RunFigures& run, const char* metric, double value, const char* unit,
             v1::RunSummary& summary) {
    v1::RunSummary::Row& row = *summary.add_rows();
    row.set_case_(run.name);
    row.set_method(run.method);
    row.set_vectors(kSourcesPerPack);
    row.set_ranks(report::count(run.ranks));
    row.set_threads(report::count(run.threads));
    row.set_dof(run.dof);
    row.set_metric(metric);
    row.set_value(value);
    row.set_unit(unit);
    row.set_samples(1);
}

}  // namespace

v1::RunSummary summary_of(const RunFigures& run, const Machine& machine) {
    v1::RunSummary summary;
    summary.set_suite("demo");
    summary.set_version(KANAME_VERSION);
    summary.set_commit(KANAME_COMMIT);
    summary.set_started(run.started);
    v1::RunSummary::Machine& of = *summary.mutable_machine();
    of.set_cpu(machine.cpu);
    of.set_cores(report::count(machine.cores));
    of.set_memory_bytes(machine.memory_bytes);
    if (run.device.starts_with("cuda")) {
        of.set_device(run.device);
    }
    add_row(run, "dof", run.dof, "1", summary);
    add_row(run, "sources", run.sources, "1", summary);
    add_row(run, "epochs", run.epochs, "1", summary);
    add_row(run, "stations", run.stations, "1", summary);
    add_row(run, "patches", run.patches, "1", summary);
    add_row(run, "max_displacement_m", run.max_displacement_m, "m", summary);
    add_row(run, "solve_s", run.solve_s, "s", summary);
    add_row(run, "total_s", run.total_s, "s", summary);
    add_row(run, "outer_iterations_per_step", run.iterations_per_step, "1", summary);
    return summary;
}

}  // namespace kaname::cli
