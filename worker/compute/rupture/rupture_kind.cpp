// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/rupture/rupture_kind.hpp"

#include <iostream>

#include "proto/spec/form/json.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "solvers/jobs/rupture/rupture_stages.hpp"
#include "worker/compute/inputs.hpp"
#include "worker/compute/read_sources.hpp"
#include "worker/compute/rupture/rupture_job_from_spec.hpp"
#include "worker/compute/seismic_waves/seismic_verbs.hpp"
#include "worker/compute/stored_files.hpp"
#include "worker/compute/waves/wave_verbs.hpp"

namespace kaname::compute {
namespace {

jobs::RuptureJob load_job(const Call& call) {
    v1::Rupture rupture;
    spec::from_json(spec::read_text_file(call.spec), "file '" + call.spec + "'", rupture);
    locate_stored_files(rupture, call.spec, call.files);
    return rupture_job_from_spec(spec::check_rupture(std::move(rupture)));
}

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "sizes of the mesh, friction on faults");
    const jobs::RuptureJob job = load_job(call);
    return report_preflight(job, jobs::preflight_rupture(job), runtime);
}

int run_mesh(const Call& call, Runtime& runtime) {
    return make_mesh(call, runtime, [&](const jobs::MeshProgress& progress) {
        return jobs::mesh_rupture(load_job(call), call.out, progress);
    });
}

int run_solve(const Call& call, Runtime& runtime) {
    jobs::RuptureJob job = load_job(call);
    return solve_seismic(
        job,
        [&](const std::string& mesh, const std::string& work, comm::Comm& comm) {
            return jobs::open_rupture(job, mesh, work, comm);
        },
        call, runtime);
}

int run_package(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("package", 0.0, "collecting the rupture");
    const jobs::RuptureJob job = load_job(call);
    return report_package(jobs::package_rupture(job, input(call, kMeshInput),
                                                sources_of(job, call, {kMeshInput}), call.out),
                          call, runtime.reporter);
}

int run_read(const Call& call, Runtime& runtime) {
    const jobs::RuptureJob job = load_job(call);
    const auto reader = jobs::read_seismic(job);
    return read_sources(*reader, std::cin, runtime.reporter);
}

}  // namespace

const Kind& rupture_kind() {
    static const Kind kind{
        .schemas = {v1::Rupture::descriptor()->full_name()},
        .verbs = {
            {.name = "preflight",
             .what = "Check faults, friction, sizes, memory and time before anything is computed",
             .once = run_preflight},
            {.name = "mesh", .what = "Build the mesh", .out = Use::Must, .once = run_mesh},
            {.name = "solve",
             .what = "Solve the rupture and its waves; on any number of ranks",
             .inputs = {kMeshInput},
             .work = Use::Must,
             .on_ranks = true,
             .once = run_solve,
             .serve = run_solve},
            {.name = "package",
             .what = "Write faults, energies and seismograms in one dataset",
             .inputs = {kMeshInput},
             .more_inputs = true,
             .out = Use::Must,
             .work = Use::May,
             .once = run_package},
            {.name = "read",
             .what = "Answer with the rupture's seismograms when it is named on standard input",
             .inputs = {kMeshInput},
             .once = run_read}}};
    return kind;
}

}  // namespace kaname::compute
