// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local_graph.hpp"

#include <algorithm>
#include <iostream>

#include "client/cli/dataset_identity.hpp"
#include "client/cli/mesh_cache.hpp"
#include "client/cli/preflight.hpp"
#include "client/cli/progress_view.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/spec/form/json.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
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

int run_local_graph(const spec::Request& request, const spec::Kind& kind,
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
    write_file(spec, spec::to_json(request.message()));
    fs::create_directories(sources);
    const spec::TaskGraph graph = request.graph();
    const auto meshed = std::ranges::find(graph.tasks, std::string("mesh"), &spec::Task::verb);
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
