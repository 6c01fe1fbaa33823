// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/local_run.hpp"

#include <algorithm>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/mesh/mesh_cache.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

/// Xdmf beside a dataset that has fields of the surface or the volume.
std::vector<std::string> describe_fields(const fs::path& dataset, const v1::DatasetReport& found,
                                         const run::ComputeRunner& compute) {
    if (found.fields().empty()) {
        return {};
    }
    const auto xdmf =
        verb_report<v1::WrittenReport>(compute, {"xdmf", "--dataset", dataset.string()});
    return {xdmf.written().begin(), xdmf.written().end()};
}

}  // namespace

Reusable reusable_in(const fs::path& output, const request::LoadedSpec& spec,
                     const run::ComputeRunner& compute) {
    const std::string mesh_key = request::make_plan(spec).mesh_key;
    const fs::path work = output / "work";
    Reusable found;
    found.mesh = has_mesh(mesh_key, work / "mesh.h5", MeshCache(compute.program()));
    std::error_code none;
    if (RunFolder::is_of(output, request::content_hash(spec.batch))) {
        for (const fs::directory_entry& entry : fs::directory_iterator(work / "sources", none)) {
            found.sources += entry.path().extension() == ".h5" ? 1 : 0;
        }
    }
    return found;
}

LocalRunResult run_local(const request::LoadedSpec& spec, const RunFolder& folder,
                         const OutputPlace& dataset, const run::ComputeRunner& compute,
                         const LocalRunOptions& options) {
    const std::string spec_file = folder.work("spec.json").string();
    const std::string mesh_file = folder.work("mesh.h5").string();
    const std::string dataset_file = folder.work("greens.h5").string();
    const std::string sources = folder.work("sources").string();
    const std::string mesh = "mesh=" + mesh_file;
    write_file(spec_file, request::to_json(spec.batch));
    fs::create_directories(sources);

    const auto call_of = [&](const std::string& verb, std::vector<std::string> more, int ranks) {
        const int threads = ranks > 1 ? options.threads : options.threads * options.ranks;
        std::vector<std::string> arguments = {verb, "--spec", spec_file};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"--threads", std::to_string(threads), "--watch-stdin"});
        run::VerbCall call;
        call.arguments = std::move(arguments);
        call.ranks = ranks;
        call.log = folder.work(verb + ".log");
        call.on_progress = options.on_progress;
        return call;
    };
    LocalRunResult result;
    result.mesh_reused = find_or_make_mesh(
        request::make_plan(spec).mesh_key, mesh_file, MeshCache(compute.program()), [&] {
            (void)compute.run(call_of("mesh", {"--out", mesh_file}, 1));
        });
    result.solve = verb_report<v1::SolveReport>(
        compute, call_of("solve", {"--input", mesh, "--work", sources, "--device", options.device},
                         options.ranks));
    result.package = verb_report<v1::PackageReport>(
        compute,
        call_of("package", {"--input", mesh, "--work", sources, "--out", dataset_file}, 1));
    result.dataset = verb_report<v1::DatasetReport>(compute, {"show", "--dataset", dataset_file});
    dataset.put(dataset_file);
    result.xdmf_files = describe_fields(dataset.path(), result.dataset, compute);
    return result;
}

namespace {

namespace fs = std::filesystem;

v1::RunReport graph_report(const v1::SolveReport& solve, const v1::PackageReport& package,
                           const fs::path& dataset) {
    v1::RunReport report;
    report.set_dataset(dataset.string());
    *report.mutable_solve() = solve;
    *report.mutable_package() = package;
    report.mutable_package()->set_dataset(dataset.string());
    return report;
}

}  // namespace

int run_local_graph(const request::Request& request, const request::Kind& kind,
                    const LocalGraphOptions& options, const Context& context) {
    const fs::path result = options.output / kind.result_file();
    if (!options.force) {
        RunFolder::check_free(options.output, kind.content_hash(request.message()));
    }
    const std::string hash = kind.content_hash(request.message());
    const OutputPlace place(
        options.resume ? "--resume" : "--output", result, options.force,
        same_dataset({hash, static_cast<long long>(request.graph().n_sources())}, context.compute));
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](const run::Progress& progress) { view.show(progress); };
    const int all_threads = options.run.threads * options.run.ranks;
    const v1::Estimate estimate = preflight(request.message(), all_threads, context, show);
    view.end_line();
    std::cerr << outlook(estimate, {}) << "\n";
    warn(estimate.warnings());
    place.check_space(estimate.dataset_bytes());
    RunFolder folder(options.output);
    const std::string spec = folder.work("spec.json").string();
    const std::string sources = folder.work("sources").string();
    const std::string made = folder.work(kind.result_file()).string();
    const std::string mesh = folder.work("mesh.h5").string();
    write_file(spec, request::to_json(request.message()));
    fs::create_directories(sources);
    const request::TaskGraph graph = request.graph();
    const auto meshed = std::ranges::find(graph.tasks, std::string("mesh"), &request::Task::verb);
    const bool has_mesh = meshed != graph.tasks.end();
    const auto call = [&](const std::string& verb, std::vector<std::string> more, int ranks) {
        run::VerbCall of;
        of.arguments = {verb, "--spec", spec};
        if (verb != "mesh") {
            more.insert(more.end(), {"--work", sources});
            if (has_mesh) {
                more.insert(more.end(), {"--input", "mesh=" + mesh});
            }
        }
        of.arguments.insert(of.arguments.end(), more.begin(), more.end());
        of.arguments.insert(
            of.arguments.end(),
            {"--threads", std::to_string(ranks > 1 ? options.run.threads : all_threads),
             "--watch-stdin"});
        of.ranks = ranks;
        of.log = folder.work(verb + ".log");
        of.on_progress = show;
        return of;
    };
    const bool reused =
        has_mesh && find_or_make_mesh(meshed->key, mesh, MeshCache(context.compute.program()), [&] {
            (void)context.compute.run(call("mesh", {"--out", mesh}, 1));
        });
    const auto solve = verb_report<v1::SolveReport>(
        context.compute, call("solve", {"--device", options.run.device}, options.run.ranks));
    const auto package =
        verb_report<v1::PackageReport>(context.compute, call("package", {"--out", made}, 1));
    place.put(made);
    view.end_line();
    warn(solve.warnings());
    if (context.json) {
        v1::RunReport report = graph_report(solve, package, result);
        report.set_mesh_reused(reused);
        print_report(report);
    } else {
        std::cout << result.string() << ": " << package.sources_done() << " sources, "
                  << package.stations() << " receivers, " << package.epochs() << " samples\n";
    }
    if (package.sources_failed() + package.sources_missing() > 0) {
        std::cerr << "error: " << package.sources_failed() << " sources failed, "
                  << package.sources_missing() << " are missing; "
                  << folder.work("solve.log").string() << " says why\n";
        return run::kExitSomeFailed;
    }
    if (!options.keep_work) {
        folder.remove_work();
    }
    return run::kExitOk;
}

}  // namespace kaname::cli
