// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/seismic_waves/seismic_waves_kind.hpp"

#include <iostream>

#include "proto/spec/form/json.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"
#include "solvers/jobs/seismic_waves/seismic_stages.hpp"
#include "worker/compute/read_sources.hpp"
#include "worker/compute/seismic_waves/seismic_job_from_spec.hpp"
#include "worker/compute/seismic_waves/seismic_verbs.hpp"
#include "worker/compute/stored_files.hpp"
#include "worker/compute/waves/wave_verbs.hpp"

namespace kaname::compute {
namespace {

jobs::SeismicJob load_job(const Call& call) {
    v1::SeismicWaves waves;
    spec::from_json(spec::read_text_file(call.spec), "file '" + call.spec + "'", waves);
    locate_stored_files(waves, call.spec, call.files);
    return seismic_job_from_spec(spec::check_seismic_waves(std::move(waves)));
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

}  // namespace kaname::compute
