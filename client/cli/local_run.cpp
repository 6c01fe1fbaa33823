// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local_run.hpp"

#include <nlohmann/json.hpp>

#include "client/cli/mesh_cache.hpp"
#include "proto/spec/canonical.hpp"
#include "proto/spec/plan.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

/// Names the specification that the mesh in the work folder was made for.
constexpr const char* kMeshKey = "mesh.key";

/// Xdmf beside a dataset that has fields of the surface or the volume.
std::vector<std::string> describe_fields(const fs::path& dataset, const std::string& dataset_json,
                                         const runner::ComputeRunner& compute) {
    using nlohmann::json;
    if (json::parse(dataset_json).value("fields", json::array()).empty()) {
        return {};
    }
    const auto xdmf = compute.run({.arguments = {"xdmf", "--dataset", dataset.string()},
                                   .ranks = 1,
                                   .log = {},
                                   .on_progress = {}});
    return json::parse(xdmf.json).at("written");
}

}  // namespace

Reusable reusable_in(const fs::path& output, const spec::LoadedSpec& spec,
                     const runner::ComputeRunner& compute) {
    const std::string mesh_key = spec::make_plan(spec).mesh_key;
    const fs::path work = output / "work";
    Reusable found;
    found.mesh = (fs::exists(work / "mesh.h5") && read_file_if_any(work / kMeshKey) == mesh_key) ||
                 MeshCache(compute.program()).has(mesh_key);
    std::error_code none;
    if (RunFolder::is_of(output, spec::content_hash(spec.batch))) {
        for (const fs::directory_entry& entry : fs::directory_iterator(work / "sources", none)) {
            found.sources += entry.path().extension() == ".h5" ? 1 : 0;
        }
    }
    return found;
}

LocalRunResult run_local(const spec::LoadedSpec& spec, const RunFolder& folder,
                         const OutputPlace& dataset, const runner::ComputeRunner& compute,
                         const LocalRunOptions& options) {
    const std::string spec_file = folder.work("spec.json").string();
    const std::string mesh_file = folder.work("mesh.h5").string();
    const std::string dataset_file = folder.work("greens.h5").string();
    const std::string sources = folder.work("sources").string();
    write_file(spec_file, spec::to_json(spec.batch));
    fs::create_directories(sources);

    const auto run = [&](const std::string& verb, std::vector<std::string> more, int ranks) {
        const int threads = ranks > 1 ? options.threads : options.threads * options.ranks;
        std::vector<std::string> arguments = {verb,
                                              "--spec",
                                              spec_file,
                                              "--mesh",
                                              mesh_file,
                                              "--threads",
                                              std::to_string(threads),
                                              "--watch-stdin"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return compute.run({.arguments = std::move(arguments),
                            .ranks = ranks,
                            .log = folder.work(verb + ".log"),
                            .on_progress = options.on_progress});
    };
    LocalRunResult result;
    const std::string key = spec::make_plan(spec).mesh_key;
    result.mesh_reused = fs::exists(mesh_file) && read_file_if_any(folder.work(kMeshKey)) == key;
    if (!result.mesh_reused) {
        const MeshCache cache(compute.program());
        fs::remove(folder.work(kMeshKey));
        result.mesh_reused = cache.take(key, mesh_file, MeshCache::Owner::Ours);
        if (!result.mesh_reused) {
            (void)run("mesh", {}, 1);
            cache.keep(key, mesh_file, MeshCache::Owner::Ours);
        }
        write_file(folder.work(kMeshKey), key);
    }
    result.solve_json =
        run("solve", {"--work", sources, "--device", options.device}, options.ranks).json;
    result.package_json = run("package", {"--work", sources, "--out", dataset_file}, 1).json;
    result.dataset_json = compute
                              .run({.arguments = {"show", "--dataset", dataset_file},
                                    .ranks = 1,
                                    .log = {},
                                    .on_progress = {}})
                              .json;
    dataset.put(dataset_file);
    result.xdmf_files = describe_fields(dataset.path(), result.dataset_json, compute);
    return result;
}

}  // namespace kaname::cli
