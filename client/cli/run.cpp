// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include <nlohmann/json.hpp>

#include "client/cli/commands.hpp"
#include "client/cli/dataset_identity.hpp"
#include "client/cli/format.hpp"
#include "client/cli/interrupt.hpp"
#include "client/cli/left_behind.hpp"
#include "client/cli/local_run.hpp"
#include "client/cli/machine.hpp"
#include "client/cli/outlook.hpp"
#include "client/cli/preflight.hpp"
#include "client/cli/progress_view.hpp"
#include "client/cli/run_folder.hpp"
#include "client/cli/summary.hpp"
#include "client/cli/typed.hpp"
#include "proto/spec/canonical.hpp"
#include "proto/spec/plan.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/utc_now.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct RunOptions {
    bool local = false;
    std::string file, output, resume;
    int ranks = 1, threads = 0;
    std::string device = "auto";
    bool keep_work = false, force = false;
};

double number_or_zero(const json& value) {
    return value.is_number() ? value.get<double>() : 0.0;
}

long long patches_of(const json& dataset) {
    std::set<std::string> patches;
    for (const json& source : dataset.at("sources")) {
        patches.insert(source.at("patch").get<std::string>());
    }
    return static_cast<long long>(patches.size());
}

RunFigures figures_of(const json& solve, const json& dataset) {
    const json& dims = dataset.at("dims");
    RunFigures figures;
    figures.dof = dataset.at("provenance").at("dof");
    figures.sources = dims.at("source");
    figures.epochs = dims.at("epoch");
    figures.stations = dims.at("station");
    figures.patches = patches_of(dataset);
    figures.max_displacement_m = dataset.at("max_displacement_m").at("vector");
    figures.displacement_unit = dataset.at("units").at("greens");
    figures.iterations_per_step = number_or_zero(dataset.at("mean_iterations"));
    figures.solve_s = solve.at("solve_s");
    return figures;
}

void print_table(const RunFigures& run, const json& solve, const json& counts,
                 const RunFolder& folder) {
    const auto n = [&](const char* key) { return format_count(counts.at(key).get<long long>()); };
    std::string sources = n("done") + " done, " + n("failed") + " failed";
    if (counts.at("missing").get<long long>() > 0) {
        sources += ", " + n("missing") + " missing";
    }
    if (const long long reused = solve.at("sources_reused"); reused > 0) {
        sources += " (" + format_count(reused) + " from a former run)";
    }
    if (const long long step = solve.at("resumed_step"); step > 0) {
        sources += ", went on with step " + format_count(step) + " of a checkpoint";
    }
    std::cout << format_table(
        {{"dataset", folder.dataset().string()},
         {"sources", sources},
         {"epochs", format_count(run.epochs)},
         {"stations", format_count(run.stations)},
         {"unknowns", format_count(run.dof)},
         {"device", run.device.empty() ? "none: nothing was left to solve" : run.device},
         {"mean iterations", format_number(run.iterations_per_step) + " per step"},
         {"time",
          format_seconds(run.total_s) + ", of which solving " + format_seconds(run.solve_s)},
         {"largest displacement",
          format_number(run.max_displacement_m) + " " + run.displacement_unit}});
}

json failures_of(const json& dataset) {
    json failures = json::array();
    for (const json& source : dataset.at("sources")) {
        if (source.at("status") != "done") {
            const std::string status = source.at("status");
            failures.push_back({{"source", source.at("id")},
                                {"status", status},
                                {"cause", source.value("failure", status)}});
        }
    }
    return failures;
}

void print_json(const RunFolder& folder, const LocalRunResult& result, const json& counts,
                const json& failures) {
    const json report = {{"dataset", folder.dataset().string()},
                         {"summary", json::parse(read_file_if_any(folder.summary()))},
                         {"mesh_reused", result.mesh_reused},
                         {"solve", json::parse(result.solve_json)},
                         {"package", json::parse(result.package_json)},
                         {"xdmf", result.xdmf_files},
                         {"sources", counts},
                         {"failures", failures}};
    std::cout << report.dump(2) << "\n";
}

int threads_per_rank(const RunOptions& options) {
    return options.threads > 0 ? options.threads
                               : std::max(1, this_machine().cores / options.ranks);
}

/// The specification to run: of FILE, or the one that an interrupted run left in its folder.
spec::LoadedSpec spec_of(const RunOptions& options) {
    if (options.file.empty() == options.resume.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "run: must have FILE or --resume FOLDER, one of them");
    }
    if (!options.file.empty()) {
        return spec::load_spec(options.file);
    }
    const auto left = std::filesystem::path(options.resume) / "work" / "spec.json";
    if (!std::filesystem::exists(left)) {
        throw Error(ErrorCode::NotFound, "--resume: '" + options.resume +
                                             "' must be the folder of an interrupted run, has no "
                                             "work/spec.json");
    }
    return spec::load_spec_json(left.string());
}

std::filesystem::path output_of(const RunOptions& options, const spec::LoadedSpec& spec) {
    if (!options.resume.empty()) {
        return options.resume;
    }
    return options.output.empty() ? spec.batch.name() : options.output;
}

/// What kaname run wrote about itself, and no other program's file of that name.
std::string judge_summary(const std::filesystem::path& path) {
    const json found = json::parse(read_file_if_any(path), nullptr, /*allow_exceptions=*/false);
    return found.is_object() && found.contains("suite") && found.contains("rows")
               ? ""
               : "is no summary of a run";
}

/// The files that a run leaves, checked before it begins.
struct RunPlaces {
    OutputPlace dataset, summary;
};

RunPlaces places_of(const RunOptions& options, const spec::LoadedSpec& spec,
                    const std::filesystem::path& output, const Context& context) {
    const std::string field = options.resume.empty() ? "--output" : "--resume";
    const std::string hash = spec::content_hash(spec.batch);
    if (!options.force) {
        RunFolder::check_free(output, hash);
    }
    const auto all = static_cast<long long>(spec::source_ids(spec.batch).size());
    const std::filesystem::path dataset = output / "greens.h5";
    RunPlaces places{
        OutputPlace(field, dataset, options.force, same_dataset({hash, all}, context.compute)),
        OutputPlace(field, output / "summary.json", options.force, judge_summary)};
    for (const char* name : {"greens_surface.xdmf", "greens_volume.xdmf"}) {
        (void)OutputPlace(field, output / name, options.force, describes(dataset));
    }
    return places;
}

int compute(const RunOptions& options, const spec::LoadedSpec& spec,
            const std::filesystem::path& output, const Context& context) {
    const Clock::time_point start = Clock::now();
    const std::string started = utc_now();
    const RunPlaces places = places_of(options, spec, output, context);
    const int threads = threads_per_rank(options);
    warn_of_more_threads_than_cores("--ranks x --threads",
                                    static_cast<long long>(options.ranks) * threads);
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](const channel::Progress& progress) { view.show(progress); };
    const json estimate = json::parse(preflight(spec, threads * options.ranks, context, show));
    view.end_line();
    std::cerr << outlook(estimate, reusable_in(output, spec, context.compute)) << "\n";
    if (!spec.chosen.empty()) {
        std::cerr << spec.chosen << "\n";
    }
    for (const json& note : estimate.value("notes", json::array())) {
        std::cerr << note.get<std::string>() << "\n";
    }
    for (const json& warning : estimate.at("warnings")) {
        std::cerr << "warning: " << warning.get<std::string>() << "\n";
    }
    places.dataset.check_space(estimate.at("dataset_bytes"));
    RunFolder folder(output);
    const LocalRunResult result = run_local(spec, folder, places.dataset, context.compute,
                                            {options.ranks, threads, options.device, show});
    view.end_line();
    const json solve = json::parse(result.solve_json);
    const json dataset = json::parse(result.dataset_json);
    for (const json& of : {solve, json::parse(result.package_json)}) {
        for (const json& warning : of.value("warnings", json::array())) {
            std::cerr << "warning: " << warning.get<std::string>() << "\n";
        }
    }
    RunFigures figures = figures_of(solve, dataset);
    figures.name = spec.batch.name();
    figures.method = spec.batch.solver().method();
    figures.started = started;
    figures.ranks = options.ranks;
    figures.threads = threads;
    figures.device = solve.value("device", "");
    figures.total_s = std::chrono::duration<double>(Clock::now() - start).count();
    write_file(folder.work("summary.json"), summary_json(figures, this_machine()));
    places.summary.put(folder.work("summary.json"));

    const json counts = dataset.at("status_counts");
    const json failures = failures_of(dataset);
    if (context.json) {
        print_json(folder, result, counts, failures);
    } else {
        print_table(figures, solve, counts, folder);
        for (const std::string& file : result.xdmf_files) {
            std::cout << "for ParaView: " << file << "\n";
        }
    }
    for (const json& failure : failures) {
        std::cerr << "error: source " << failure.at("source").get<std::string>() << ": "
                  << failure.at("cause").get<std::string>() << "\n";
    }
    if (!failures.empty()) {
        return channel::kExitSomeFailed;
    }
    if (!options.keep_work) {
        folder.remove_work();
    }
    return channel::kExitOk;
}

/// Goes on with an interrupted run as `options` asked for it; to be typed as it is.
std::string resume_command(const RunOptions& options, const std::filesystem::path& output,
                           const Context& context) {
    std::string text = context.program + " run --local --resume " + shell_word(output.string());
    if (options.ranks > 1) {
        text += " --ranks " + std::to_string(options.ranks);
    }
    if (options.threads > 0) {
        text += " --threads " + std::to_string(options.threads);
    }
    if (options.device != "auto") {
        text += " --device " + options.device;
    }
    return text + (options.force ? " --force" : "") + (options.keep_work ? " --keep-work" : "") +
           (context.json ? " --json" : "");
}

int run_command(const RunOptions& options, const Context& context) {
    const spec::LoadedSpec spec = spec_of(options);
    const std::filesystem::path output = output_of(options, spec);
    const LeftBehind left(output, spec::content_hash(spec.batch));
    try {
        return compute(options, spec, output, context);
    } catch (const Interrupted&) {
        std::cerr << "\n" << left.text(resume_command(options, output, context)) << "\n";
        throw;
    }
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
    const auto options = std::make_shared<RunOptions>();
    CLI::App* command = add_command<RunOptions>(
        app, context, "run", "Compute the Green's functions of a specification on this machine",
        options, run_command);
    command->add_flag("--local", options->local, "Compute here, without a server")->required();
    command->add_option("FILE", options->file, "Specification (YAML)");
    CLI::Option* output =
        command->add_option("--output", options->output,
                            "Folder for greens.h5 and summary.json; default: the job's name");
    command
        ->add_option("--resume", options->resume,
                     "In place of FILE: folder of an interrupted run, which goes on from its last "
                     "checkpoint, on any number of ranks")
        ->excludes(output);
    command->add_option("--ranks", options->ranks, "MPI ranks")->check(CLI::Range(1, 4096));
    command
        ->add_option("--threads", options->threads,
                     "Threads of each rank; 0: the cores, divided among the ranks")
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--device", options->device,
                     "auto, cpu or cuda; auto: a GPU where there is one and the job can run on it")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command->add_flag("--force", options->force,
                      "Replace files, and the work of an interrupted run, of other specifications");
    command->add_flag("--keep-work", options->keep_work,
                      "Keep the work folder after success; a run that stops early always keeps it "
                      "and the next one goes on from it");
}

}  // namespace kaname::cli
