// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "proto/spec/canonical.hpp"
#include "proto/spec/load.hpp"
#include "solvers/comm/mpi/mpi_comm.hpp"
#include "solvers/comm/serial/serial_comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/export/xdmf.hpp"
#include "solvers/jobs/geometry/build_volumes.hpp"
#include "solvers/jobs/table.hpp"
#include "worker/compute/build_report.hpp"
#include "worker/compute/dataset_report.hpp"
#include "worker/compute/guarded.hpp"
#include "worker/compute/job_from_spec.hpp"
#include "worker/compute/mesh_verbs.hpp"
#include "worker/compute/probe.hpp"
#include "worker/compute/read_sources.hpp"
#include "worker/compute/reports.hpp"
#include "worker/compute/serve.hpp"
#include "worker/compute/slice.hpp"
#include "worker/compute/verbs.hpp"
#include "worker/run/exit_code.hpp"

namespace {

using namespace kaname;

struct Options {
    std::string spec;
    compute::Paths paths;
    int threads = 0;
    std::string device = "auto";
    bool watch_stdin = false;
    bool serve = false;
    int ranks = 1;
    std::string sources = "0:0:1", epochs = "0:0:1", stations = "0:0:1", out, format;
};

/// What mpirun says about itself, before MPI is up: 0 when it did not start this process.
int mpirun_says(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? std::atoi(value) : 0;
}

/// Ends the process when whoever started it goes away: standard input then ends. Files are only
/// ever renamed into place, so nothing is left half-made.
void end_with_stdin() {
    std::thread([] {
        std::array<char, 256> ignored;
        while (::read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) {
        }
        ::_exit(run::kExitInterrupted);
    }).detach();
}

jobs::GreensJob load_job(const Options& options) {
    const spec::LoadedSpec spec = spec::load_spec_json(options.spec);
    jobs::GreensJob job = compute::job_from_spec(spec, spec::canonical_json(spec.batch));
    jobs::build_volumes(job);
    return job;
}

int run_solve(const Options& options, compute::Reporter& reporter) {
    const int ranks = mpirun_says("OMPI_COMM_WORLD_SIZE");
    const bool parallel = ranks > 0 && comm::MpiSession::compiled_in();
    if (ranks > 1 && !parallel) {
        throw Error(ErrorCode::Unavailable,
                    "this kaname-compute was built without MPI and cannot run " +
                        std::to_string(ranks) + " ranks");
    }
    std::optional<comm::MpiSession> session;
    std::unique_ptr<comm::Comm> comm;
    if (parallel) {
        session.emplace();
        comm = comm::make_mpi_comm(*session);
    } else {
        comm = std::make_unique<comm::SerialComm>();
    }
    if (options.watch_stdin && !options.serve && comm->rank() == 0) {
        end_with_stdin();
    }
    // Lives as long as the thread that fills it: to the end of the process.
    static compute::CommandQueue commands;
    if (options.serve && comm->rank() == 0) {
        compute::read_commands(commands);
    }
    std::string gpu;  // UUID of this rank's GPU
    const compute::Outcome outcome = compute::guarded(comm->rank(), gpu, reporter, [&] {
        jobs::GreensJob job = load_job(options);
        const jobs::Stages& stages = jobs::stages_of(job);
        job.placement = {options.device, mpirun_says("OMPI_COMM_WORLD_LOCAL_RANK")};
        compute::probe_rank(job, gpu);
        auto book = compute::SpeedBook::of_this_machine();
        if (options.serve) {
            compute::serve(stages, job, options.paths, *comm, commands, book, reporter,
                           [] { return true; });
        }
        return compute::solve(stages, job, options.paths, *comm, book, reporter);
    });
    if (parallel && outcome.gave_up) {
        // The others may wait for this rank in a collective call. An error that all ranks share
        // is another's to tell, which an early abort would cut short.
        if (!outcome.told) {
            std::this_thread::sleep_for(std::chrono::seconds(2));
        }
        session->abort(outcome.code);
    }
    return outcome.code;
}

CLI::App* add_verb(CLI::App& app, const char* name, const char* what, Options& options) {
    CLI::App* verb = app.add_subcommand(name, what);
    verb->add_option("--spec", options.spec, "Specification as JSON (kaname.v1.GreensBatch)")
        ->required();
    verb->add_option("--threads", options.threads, "Threads of this process; 0: all cores")
        ->check(CLI::NonNegativeNumber);
    verb->add_flag("--watch-stdin", options.watch_stdin, "End when standard input ends");
    return verb;
}

void add_mesh(CLI::App* verb, Options& options) {
    verb->add_option("--mesh", options.paths.mesh, "Mesh file")->required();
}

void add_work(CLI::App* verb, Options& options) {
    verb->add_option("--work", options.paths.work, "Folder of the finished sources")->required();
}

void add_device(CLI::App* verb, Options& options) {
    verb->add_option("--device", options.device,
                     "auto: a GPU where there is one and the job can run on it")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

int run_verb(const std::string& verb, const Options& options, compute::Reporter& reporter) {
    if (options.threads > 0) {
        device::set_threads(options.threads);
    }
    if (verb == "solve") {
        return run_solve(options, reporter);
    }
    if (options.watch_stdin) {
        end_with_stdin();
    }
    if (verb == "show") {
        const std::string& path = options.paths.dataset;
        reporter.result(
            verb, compute::dataset_report(io::read_greens_dataset(path, io::FieldGroups::LeaveOut),
                                          io::names_of_field_groups(path)));
        return run::kExitOk;
    }
    if (verb == "xdmf") {
        reporter.result(verb, compute::written_report(io::write_xdmf(options.paths.dataset)));
        return run::kExitOk;
    }
    if (verb == "mesh-show") {
        return compute::show_mesh(options.paths.mesh, reporter);
    }
    if (verb == "mesh-check") {
        return compute::check_mesh(options.paths.mesh, reporter);
    }
    if (verb == "mesh-export") {
        return compute::export_mesh(options.paths.mesh, options.format, options.out, reporter);
    }
    if (verb == "probe") {
        compute::CudaGpus gpus;
        return compute::probe(options.device, options.ranks, gpus, reporter);
    }
    if (verb == "doctor") {
        reporter.result(verb, compute::build_report());
        return run::kExitOk;
    }
    if (verb == "slice") {
        return compute::slice(options.paths.dataset, options.sources, options.epochs,
                              options.stations, options.out, reporter);
    }
    const jobs::GreensJob job = load_job(options);
    const jobs::Stages& stages = jobs::stages_of(job);
    auto book = compute::SpeedBook::of_this_machine();
    if (verb == "preflight") {
        return compute::preflight(stages, job, book, reporter);
    }
    if (verb == "read") {
        return compute::read_sources(stages, job, options.paths.mesh, std::cin, reporter);
    }
    if (verb == "mesh") {
        return compute::mesh(stages, job, options.paths, book, reporter);
    }
    return compute::package(stages, job, options.paths, book, reporter);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Computes one stage of a Green's-function job. Events go to standard output as "
        "lines that begin with @kaname; other lines are log.");
    app.footer(run::kExitCodesHelp);
    app.set_version_flag("--version", std::string("kaname-compute ") + KANAME_VERSION);
    app.require_subcommand(1);
    add_verb(app, "preflight", "Check geometry, memory and time before anything is computed",
             options);
    CLI::App* mesh = add_verb(app, "mesh", "Build the mesh", options);
    CLI::App* solve = add_verb(app, "solve", "Solve every source; runs under mpirun", options);
    CLI::App* package = add_verb(app, "package", "Collect the sources in one dataset", options);
    add_mesh(mesh, options);
    add_mesh(solve, options);
    add_mesh(package, options);
    add_work(solve, options);
    add_device(solve, options);
    solve->add_flag("--serve", options.serve,
                    "Set up once, then solve the packs that are named on standard input");
    CLI::Option* work =
        package->add_option("--work", options.paths.work, "Folder of the finished sources");
    package
        ->add_option("--sources", options.paths.sources,
                     "List of finished sources, lines of id, tab, path")
        ->excludes(work);
    package->add_flag("--only", options.paths.only, "Leave out sources that are not finished");
    package->add_option("--out", options.paths.dataset, "Dataset to write")->required();
    add_mesh(
        add_verb(app, "read", "Answer with the values of sources named on standard input", options),
        options);
    CLI::App* show = app.add_subcommand("show", "Describe a dataset");
    show->add_option("--dataset", options.paths.dataset, "Dataset to read")->required();
    CLI::App* xdmf = app.add_subcommand("xdmf", "Make a dataset's fields known to ParaView");
    xdmf->add_option("--dataset", options.paths.dataset, "Dataset to describe")->required();
    add_mesh(app.add_subcommand("mesh-show", "Report on a mesh"), options);
    add_mesh(app.add_subcommand("mesh-check", "Say whether a mesh is sound"), options);
    CLI::App* mesh_export = app.add_subcommand("mesh-export", "Write a mesh for another program");
    add_mesh(mesh_export, options);
    mesh_export->add_option("--format", options.format, "gmsh, vtu or xdmf")->required();
    mesh_export->add_option("--out", options.out, "File to write; xdmf stands beside the mesh");
    CLI::App* slice = app.add_subcommand("slice", "Copy a block of a dataset's values");
    slice->add_option("--dataset", options.paths.dataset, "Dataset to read")->required();
    slice->add_option("--sources", options.sources, "start:count:stride; count 0: to the end");
    slice->add_option("--epochs", options.epochs, "start:count:stride");
    slice->add_option("--stations", options.stations, "start:count:stride");
    slice->add_option("--out", options.out, "File for the values, little-endian float64")
        ->required();
    slice->add_flag("--watch-stdin", options.watch_stdin, "End when standard input ends");
    CLI::App* probe = app.add_subcommand("probe", "Let every GPU that a solve would take compute");
    add_device(probe, options);
    probe->add_option("--ranks", options.ranks, "Ranks of the solves on this machine")
        ->check(CLI::Range(1, 4096));
    app.add_subcommand("doctor", "Say what this build can do");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? run::kExitOk : run::kExitBadInput;
    }
    compute::Reporter reporter(std::cout);
    const std::string verb = app.get_subcommands().front()->get_name();
    return compute::guarded(mpirun_says("OMPI_COMM_WORLD_RANK"), "", reporter,
                            [&] { return run_verb(verb, options, reporter); })
        .code;
}
