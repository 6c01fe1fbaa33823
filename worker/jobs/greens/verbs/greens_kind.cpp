// SPDX-License-Identifier: BSD-3-Clause

#include "proto/request/greens/greens_kind.hpp"

#include <iostream>

#include "proto/request/greens/scenario.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/greens/regrid.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

/// The result that solve and package need; every other one is a source's.
constexpr const char* kMesh = "mesh";
constexpr const char* kDataset = "dataset";  // of regrid

jobs::GreensJob load_job(const Call& call) {
    const request::LoadedBatch loaded = load_stored_batch(call.request, call.files);
    jobs::GreensJob job = job_from_request(loaded, request::canonical_json(loaded.batch));
    jobs::build_volumes(job);
    return job;
}

/// A job and what its verbs are called with.
struct Loaded {
    explicit Loaded(const Call& call) : job(load_job(call)), stages(jobs::stages_of(job)) {}

    jobs::GreensJob job;
    const jobs::Stages& stages;
    CalibrationCache book = CalibrationCache::of_this_machine();
};

int run_preflight(const Call& call, Runtime& runtime) {
    Loaded loaded(call);
    return preflight(loaded.stages, loaded.job, loaded.book, runtime.reporter);
}

int run_mesh(const Call& call, Runtime& runtime) {
    Loaded loaded(call);
    return mesh(loaded.stages, loaded.job, {.mesh = call.out}, loaded.book, runtime.reporter);
}

int run_package(const Call& call, Runtime& runtime) {
    Paths paths{.mesh = input(call, kMesh),
                .work = call.work,
                .dataset = call.out,
                .sources = call.inputs,
                .only = call.only};
    paths.sources.erase(kMesh);
    if (!paths.work.empty() && !paths.sources.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "package takes sources from --work or as inputs, not from both");
    }
    Loaded loaded(call);
    return package(loaded.stages, loaded.job, paths, loaded.book, runtime.reporter);
}

/// Commands come on standard input until it ends.
int run_read(const Call& call, Runtime& runtime) {
    const Loaded loaded(call);
    const auto reader = loaded.stages.reader(loaded.job, input(call, kMesh));
    return read_sources(*reader, std::cin, runtime.reporter);
}

int run_regrid(const Call& call, Runtime& runtime) {
    const Loaded loaded(call);
    jobs::regrid(loaded.job, input(call, kDataset), call.out);
    runtime.reporter.result("regrid", written_report({call.out}));
    return run::kExitOk;
}

/// Once, or as a session.
int run_solve(const Call& call, Runtime& runtime) {
    Loaded loaded(call);
    loaded.job.placement = placement_of(call, runtime);
    const Paths paths{.mesh = input(call, kMesh), .work = call.work};
    return solve_packs(
        pack_solve(loaded.stages, loaded.job, paths, runtime.comm, loaded.book, runtime.reporter),
        call, runtime);
}

}  // namespace

const Kind& greens_kind() {
    static const Kind kind{
        .schemas = {v1::GreensBatch::descriptor()->full_name(), request::kScenarioSchema},
        .verbs = {
            {.name = "preflight",
             .what = "Check geometry, memory and time before anything is computed",
             .once = run_preflight},
            {.name = "mesh", .what = "Build the mesh", .out = Use::Must, .once = run_mesh},
            {.name = "solve",
             .what = "Solve every source, or with --serve those that are asked for; on any number "
                     "of ranks",
             .inputs = {kMesh},
             .work = Use::Must,
             .on_ranks = true,
             .once = run_solve,
             .serve = run_solve},
            {.name = "package",
             .what = "Collect the sources in one dataset",
             .inputs = {kMesh},
             .more_inputs = true,
             .out = Use::Must,
             .work = Use::May,
             .only = Use::May,
             .once = run_package},
            {.name = "read",
             .what = "Answer with the values of sources that are named on standard input",
             .inputs = {kMesh},
             .once = run_read},
            {.name = "regrid",
             .what = "Lay the patches on the fault of a dataset that was solved by receivers",
             .inputs = {kDataset},
             .out = Use::Must,
             .once = run_regrid}}};
    return kind;
}

}  // namespace kaname::compute
