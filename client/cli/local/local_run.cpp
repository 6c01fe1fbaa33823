// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/local_run.hpp"

#include <algorithm>

#include "client/cli/mesh/mesh_cache.hpp"
#include "proto/request/form/json.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

/// Content key of the mesh; empty where the request has none.
std::string mesh_key_of(const request::TaskGraph& graph) {
    const auto mesh = std::ranges::find(graph.tasks, std::string("mesh"), &request::Task::verb);
    return mesh == graph.tasks.end() ? "" : mesh->key;
}

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

/// Builds the calls of one run, whose files lie in its work folder.
class Calls {
public:
    Calls(const RunFolder& folder, bool has_mesh, const LocalRunOptions& options)
        : folder_(folder), has_mesh_(has_mesh), options_(options) {}

    [[nodiscard]] run::VerbCall mesh() const { return call("mesh", {"--out", file("mesh.h5")}, 1); }
    [[nodiscard]] run::VerbCall solve() const {
        return call("solve", inputs({"--device", options_.device}), options_.ranks);
    }
    [[nodiscard]] run::VerbCall package(const std::string& out) const {
        return call("package", inputs({"--out", out}), 1);
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return folder_.work(name).string();
    }

private:
    [[nodiscard]] std::vector<std::string> inputs(const std::vector<std::string>& more) const {
        std::vector<std::string> all;
        if (has_mesh_) {
            all = {"--input", "mesh=" + file("mesh.h5")};
        }
        all.insert(all.end(), {"--work", file("sources")});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] run::VerbCall call(const std::string& verb, const std::vector<std::string>& more,
                                     int ranks) const {
        const int threads = ranks > 1 ? options_.threads : options_.threads * options_.ranks;
        run::VerbCall call;
        call.arguments = {verb, "--spec", file("spec.json")};
        call.arguments.insert(call.arguments.end(), more.begin(), more.end());
        call.arguments.insert(call.arguments.end(),
                              {"--threads", std::to_string(threads), "--watch-stdin"});
        call.ranks = ranks;
        call.log = folder_.work(verb + ".log");
        call.on_progress = options_.on_progress;
        return call;
    }

    const RunFolder& folder_;
    bool has_mesh_;
    const LocalRunOptions& options_;
};

}  // namespace

Reusable reusable_in(const fs::path& output, const request::Request& request,
                     const std::string& content_hash, const run::ComputeRunner& compute) {
    const std::string mesh_key = mesh_key_of(request.graph());
    const fs::path work = output / "work";
    Reusable found;
    found.mesh =
        !mesh_key.empty() && has_mesh(mesh_key, work / "mesh.h5", MeshCache(compute.program()));
    std::error_code none;
    if (RunFolder::is_of(output, content_hash)) {
        for (const fs::directory_entry& entry : fs::directory_iterator(work / "sources", none)) {
            const fs::path& file = entry.path();
            found.sources += file.extension() == ".h5" && file.stem() != "checkpoint" ? 1 : 0;
        }
    }
    return found;
}

LocalRunResult run_local(const request::Request& request, const RunFolder& folder,
                         const OutputPlace& place, const run::ComputeRunner& compute,
                         const LocalRunOptions& options) {
    write_file(folder.work("spec.json"), request::to_json(request.message()));
    fs::create_directories(folder.work("sources"));
    const std::string mesh_key = mesh_key_of(request.graph());
    const Calls calls(folder, !mesh_key.empty(), options);
    const std::string made = calls.file(place.path().filename().string());
    LocalRunResult result;
    result.mesh_reused = !mesh_key.empty() && find_or_make_mesh(mesh_key, calls.file("mesh.h5"),
                                                                MeshCache(compute.program()), [&] {
                                                                    (void)compute.run(calls.mesh());
                                                                });
    result.solve = verb_report<v1::SolveReport>(compute, calls.solve());
    result.package = verb_report<v1::PackageReport>(compute, calls.package(made));
    if (options.fields) {
        result.dataset = verb_report<v1::DatasetReport>(compute, {"show", "--dataset", made});
    }
    place.put(made);
    result.package.set_dataset(place.path().string());
    result.xdmf_files = describe_fields(place.path(), result.dataset, compute);
    return result;
}

}  // namespace kaname::cli
