// SPDX-License-Identifier: BSD-3-Clause
// mesh build, mesh show, mesh check, mesh export.
#include <filesystem>
#include <iostream>
#include <map>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/mesh/mesh_cache.hpp"
#include "proto/kaname/v1/mesh_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct MeshOptions {
    std::string file, output, format;
    int threads = 0;
    bool anew = false, force = false;
};

v1::MeshReport describe_mesh(const Context& context, const std::string& mesh) {
    return verb_report<v1::MeshReport>(context.compute, {"mesh-show", "--mesh", mesh});
}

v1::WrittenReport export_to(const Context& context, const std::string& mesh,
                            const std::string& format, const std::string& out) {
    return verb_report<v1::WrittenReport>(
        context.compute, {"mesh-export", "--mesh", mesh, "--format", format, "--out", out});
}

/// Where the Xdmf of a mesh goes: always beside it.
OutputPlace xdmf_place(const fs::path& mesh, bool force) {
    return OutputPlace("--output", fs::path(mesh).replace_extension(".xdmf"), force,
                       describes(mesh));
}

/// The mesh of a request at `path`, made or taken from the cache. True: it was taken.
bool make_mesh(const MeshOptions& options, const request::LoadedBatch& loaded, const fs::path& path,
               const Context& context) {
    const std::string key = request::make_plan(loaded).mesh_key;
    const MeshCache cache(context.compute.program());
    if (!options.anew && cache.take(key, path, MeshCache::Owner::User)) {
        return true;
    }
    const TemporaryFolder folder;
    const fs::path request_file = folder.path() / "spec.json";
    write_file(request_file, request::to_json(loaded.batch));
    ProgressView view(std::cerr, terminal_columns());
    (void)context.compute.run(
        {.arguments = {"mesh", "--spec", request_file.string(), "--out", path.string(), "--threads",
                       std::to_string(options.threads), "--watch-stdin"},
         .ranks = 1,
         .log = {},
         .on_progress = [&](const run::Progress& progress) { view.show(progress); }});
    view.end_line();
    cache.keep(key, path, MeshCache::Owner::User);
    return false;
}

int mesh_build_command(const MeshOptions& options, const Context& context) {
    refuse_inversion(options.file, context.program);
    const request::LoadedBatch loaded = request::load_batch_file(options.file);
    const fs::path wanted =
        fs::absolute(options.output.empty() ? file_name_of(loaded.batch.name(), "-mesh.h5")
                                            : options.output)
            .lexically_normal();
    const MeshCache cache(context.compute.program());
    const std::string key = request::make_plan(loaded).mesh_key;
    const OutputPlace place("--output", wanted, options.force, [&](const fs::path& there) {
        return cache.is_kept(key, there) ? "" : "is not the mesh of this request";
    });
    const fs::path path = place.path();
    (void)xdmf_place(path, options.force);
    place.make_folder();
    const bool reused = make_mesh(options, loaded, place.part(), context);
    place.put(place.part());
    const v1::WrittenReport written = export_to(context, path.string(), "xdmf", "");
    v1::MeshReport report = describe_mesh(context, path.string());
    if (context.json) {
        report.set_mesh(path.string());
        report.set_reused(reused);
        *report.mutable_written() = written.written();
        print_report(report);
        return run::kExitOk;
    }
    std::cout << report.text() << "mesh: " << path.string() << (reused ? " (made before)" : "")
              << "\n";
    for (const std::string& file : written.written()) {
        std::cout << "for ParaView: " << file << "\n";
    }
    return run::kExitOk;
}

int mesh_show_command(const MeshOptions& options, const Context& context) {
    const v1::MeshReport report = describe_mesh(context, options.file);
    if (context.json) {
        print_report(report);
    } else {
        std::cout << report.text();
    }
    return run::kExitOk;
}

int mesh_check_command(const MeshOptions& options, const Context& context) {
    const auto found =
        verb_report<v1::MeshCheckReport>(context.compute, {"mesh-check", "--mesh", options.file});
    if (context.json) {
        print_report(found);
    } else if (found.faults().empty()) {
        std::cout << options.file << ": sound, " << counted(found.elements(), "element") << "\n";
    }
    for (const v1::MeshCheckReport::Fault& fault : found.faults()) {
        std::cerr << "error: " << fault.field() << ": " << fault.message() << "\n";
    }
    return found.faults().empty() ? run::kExitOk : run::kExitUnsound;
}

/// Writes MSH or VTU in a folder of its own beside its place, then moves each file there.
v1::WrittenReport export_staged(const MeshOptions& options, const Context& context) {
    fs::path output = options.output;
    if (output.empty()) {
        output =
            fs::path(options.file).replace_extension(options.format == "gmsh" ? ".msh" : ".vtu");
    }
    std::map<std::string, OutputPlace> places;  // by the names that the export gives its files
    const auto add = [&](const fs::path& path) {
        places.emplace(path.filename().string(), OutputPlace("--output", path, options.force));
    };
    add(output);
    if (options.format == "vtu") {
        add(output.parent_path() /
            (output.stem().string() + "_faces" + output.extension().string()));
    }
    const OutputPlace& first = places.at(output.filename().string());
    if (std::error_code none; fs::equivalent(options.file, first.path(), none)) {
        throw Error(ErrorCode::InvalidArgument,
                    "--output: must name another file than MESH, got '" + output.string() + "'");
    }
    first.make_folder();
    const TemporaryFolder stage(fs::absolute(first.path()).parent_path());
    v1::WrittenReport written = export_to(context, options.file, options.format,
                                          (stage.path() / output.filename()).string());
    for (std::string& file : *written.mutable_written()) {
        const OutputPlace& place = places.at(fs::path(file).filename().string());
        place.put(file);
        file = place.path().string();
    }
    return written;
}

int mesh_export_command(const MeshOptions& options, const Context& context) {
    v1::WrittenReport written;
    if (options.format == "xdmf") {
        (void)xdmf_place(options.file, options.force);
        written = export_to(context, options.file, "xdmf", "");
    } else {
        written = export_staged(options, context);
    }
    tell_written(written, context.json);
    return run::kExitOk;
}

}  // namespace

void add_mesh(Command& app, Context& context) {
    Command& mesh = app.add_command("mesh", "Make, look at, check and export meshes");
    mesh.needs_command = true;
    const auto build = std::make_shared<MeshOptions>();
    add_command<MeshOptions>(mesh, context, "build", "Make the mesh of a request on this machine",
                             build, mesh_build_command)
        .add_options(
            {{"FILE", &build->file, "Request (YAML)", kRequired},
             {"-o,--output", &build->output,
              "Mesh file, with its .xdmf beside; default: NAME-mesh.h5"},
             {"--threads", &build->threads, "Threads; 0: all cores", {.check = kNotNegative}},
             {"--anew", &build->anew, "Make it although it has been made before"},
             {"--force", &build->force, "Replace a file that is not the mesh of this request"}});
    const auto show = std::make_shared<MeshOptions>();
    add_command<MeshOptions>(mesh, context, "show",
                             "Report on a mesh: size, quality, volumes, faults", show,
                             mesh_show_command)
        .add_options({{"MESH", &show->file, "Mesh file (HDF5)", kRequired}});
    const auto check = std::make_shared<MeshOptions>();
    add_command<MeshOptions>(mesh, context, "check",
                             "Say whether a mesh is sound, with the places where it is not", check,
                             mesh_check_command)
        .add_options({{"MESH", &check->file, "Mesh file (HDF5)", kRequired}});
    const auto write = std::make_shared<MeshOptions>();
    add_command<MeshOptions>(mesh, context, "export", "Write a mesh for another program", write,
                             mesh_export_command)
        .add_options(
            {{"MESH", &write->file, "Mesh file (HDF5)", kRequired},
             {"--format",
              &write->format,
              "gmsh (MSH 4.1), vtu or xdmf",
              {.required = true, .check = one_of("gmsh|vtu|xdmf")}},
             {"-o,--output", &write->output,
              "File to write; default: MESH with another ending; xdmf: always beside MESH"},
             {"--force", &write->force, "Replace files that are there"}});
}

}  // namespace kaname::cli
