// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local_run.hpp"

#include "client/cli/mesh_cache.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/spec/greens/canonical_batch.hpp"
#include "proto/spec/greens/plan.hpp"
#include "solvers/base/files.hpp"

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

Reusable reusable_in(const fs::path& output, const spec::LoadedSpec& spec,
                     const run::ComputeRunner& compute) {
    const std::string mesh_key = spec::make_plan(spec).mesh_key;
    const fs::path work = output / "work";
    Reusable found;
    found.mesh = has_mesh(mesh_key, work / "mesh.h5", MeshCache(compute.program()));
    std::error_code none;
    if (RunFolder::is_of(output, spec::content_hash(spec.batch))) {
        for (const fs::directory_entry& entry : fs::directory_iterator(work / "sources", none)) {
            found.sources += entry.path().extension() == ".h5" ? 1 : 0;
        }
    }
    return found;
}

LocalRunResult run_local(const spec::LoadedSpec& spec, const RunFolder& folder,
                         const OutputPlace& dataset, const run::ComputeRunner& compute,
                         const LocalRunOptions& options) {
    const std::string spec_file = folder.work("spec.json").string();
    const std::string mesh_file = folder.work("mesh.h5").string();
    const std::string dataset_file = folder.work("greens.h5").string();
    const std::string sources = folder.work("sources").string();
    const std::string mesh = "mesh=" + mesh_file;
    write_file(spec_file, spec::to_json(spec.batch));
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
        spec::make_plan(spec).mesh_key, mesh_file, MeshCache(compute.program()), [&] {
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

}  // namespace kaname::cli
