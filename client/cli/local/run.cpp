// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/local/local_run.hpp"
#include "client/cli/local/run_folder.hpp"
#include "client/cli/local/summary.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct RunOptions {
    bool local = false;
    std::string file, output, resume;
    int ranks = 1, threads = 0;
    std::string device = "auto";
    bool keep_work = false, force = false;
};

std::uint32_t patches_of(const v1::DatasetReport& dataset) {
    std::set<std::string> patches;
    for (const v1::DatasetReport::Source& source : dataset.sources()) {
        patches.insert(source.patch());
    }
    return report::count(std::ssize(patches));
}

RunFigures figures_of(const v1::SolveReport& solve, const v1::DatasetReport& dataset) {
    RunFigures figures;
    figures.dof = dataset.provenance().dof();
    figures.sources = dataset.dims().source();
    figures.epochs = dataset.dims().epoch();
    figures.stations = dataset.dims().station();
    figures.patches = patches_of(dataset);
    figures.max_displacement_m = dataset.max_displacement_m().vector();
    figures.displacement_unit = dataset.units().greens();
    figures.iterations_per_step = dataset.mean_iterations();
    figures.solve_s = solve.solve_s();
    figures.device = solve.device();
    return figures;
}

void print_table(const RunFigures& run, const LocalRunResult& result, const RunFolder& folder) {
    const v1::StatusCounts& counts = result.dataset.status_counts();
    std::string sources =
        format_count(counts.done()) + " done, " + format_count(counts.failed()) + " failed";
    if (counts.missing() > 0) {
        sources += ", " + format_count(counts.missing()) + " missing";
    }
    if (const auto reused = result.solve.sources_reused(); reused > 0) {
        sources += " (" + format_count(reused) + " from a former run)";
    }
    if (const auto step = result.solve.resumed_step(); step > 0) {
        sources += ", went on with step " + format_count(step) + " of a checkpoint";
    }
    std::cout << format_table(
        {{"dataset", folder.dataset().string()},
         {"sources", sources},
         {"epochs", format_count(run.epochs)},
         {"stations", format_count(run.stations)},
         {"unknowns", format_count(run.dof)},
         {"device", run.device.empty() ? "none: nothing was left to solve" : run.device},
         {"mean iterations", run.iterations_per_step > 0.0
                                 ? format_number(run.iterations_per_step) + " per step"
                                 : "none of sources: forces at stations were solved for"},
         {"time",
          format_seconds(run.total_s) + ", of which solving " + format_seconds(run.solve_s)},
         {"largest displacement",
          format_number(run.max_displacement_m) + " " + run.displacement_unit}});
    for (const std::string& file : result.xdmf_files) {
        std::cout << "for ParaView: " << file << "\n";
    }
}

/// All of a run; the failures are each source that is not done.
v1::RunReport run_report(const LocalRunResult& result, const RunFolder& folder) {
    v1::RunReport report;
    report.set_dataset(folder.dataset().string());
    report.set_mesh_reused(result.mesh_reused);
    *report.mutable_solve() = result.solve;
    *report.mutable_package() = result.package;
    report.mutable_xdmf()->Assign(result.xdmf_files.begin(), result.xdmf_files.end());
    *report.mutable_sources() = result.dataset.status_counts();
    for (const v1::DatasetReport::Source& source : result.dataset.sources()) {
        if (source.status() != "done") {
            v1::RunReport::Failure& failure = *report.add_failures();
            failure.set_source(source.id());
            failure.set_status(source.status());
            failure.set_cause(source.has_failure() ? source.failure() : source.status());
        }
    }
    return report;
}

int threads_per_rank(const RunOptions& options) {
    return options.threads > 0 ? options.threads : threads_by_default(options.ranks);
}

/// The specification to run: of FILE, or the one that an interrupted run left in its folder.
request::LoadedSpec spec_of(const RunOptions& options, const Context& context) {
    if (options.file.empty() == options.resume.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "run: must have FILE or --resume FOLDER, one of them");
    }
    if (!options.file.empty()) {
        refuse_inversion(options.file, context.program);
        return request::load_spec(options.file);
    }
    const auto left = std::filesystem::path(options.resume) / "work" / "spec.json";
    if (!std::filesystem::exists(left)) {
        throw Error(ErrorCode::NotFound, "--resume: '" + options.resume +
                                             "' must be the folder of an interrupted run, has no "
                                             "work/spec.json");
    }
    return request::load_spec_json(left.string());
}

std::filesystem::path output_of(const RunOptions& options, const request::LoadedSpec& spec) {
    if (!options.resume.empty()) {
        return options.resume;
    }
    return options.output.empty() ? file_name_of(spec.batch.name()) : options.output;
}

/// Accepts a summary that kaname run wrote, and no other program's file of that name.
std::string judge_summary(const std::filesystem::path& path) {
    try {
        const auto found =
            report::parse<v1::RunSummary>(read_file_if_any(path), "summary of a run");
        return found.suite().empty() || found.rows().empty() ? "is no summary of a run" : "";
    } catch (const report::BrokenReport&) {
        return "is no summary of a run";
    }
}

/// The files that a run leaves, checked before it begins.
struct RunPlaces {
    OutputPlace dataset, summary;
};

RunPlaces places_of(const RunOptions& options, const request::LoadedSpec& spec,
                    const std::filesystem::path& output, const Context& context) {
    const std::string field = options.resume.empty() ? "--output" : "--resume";
    const std::string hash = request::content_hash(spec.batch);
    if (!options.force) {
        RunFolder::check_free(output, hash);
    }
    const auto all = static_cast<long long>(request::source_ids(spec.batch).size());
    const std::filesystem::path dataset = output / "greens.h5";
    RunPlaces places{
        OutputPlace(field, dataset, options.force, same_dataset({hash, all}, context.compute)),
        OutputPlace(field, output / "summary.json", options.force, judge_summary)};
    for (const char* name : {"greens_surface.xdmf", "greens_volume.xdmf"}) {
        (void)OutputPlace(field, output / name, options.force, describes(dataset));
    }
    return places;
}

int compute_batch(const RunOptions& options, const request::LoadedSpec& spec,
                  const std::filesystem::path& output, const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    const std::string started = utc_now();
    const RunPlaces places = places_of(options, spec, output, context);
    const int threads = threads_per_rank(options);
    warn_of_more_threads_than_cores("--ranks x --threads",
                                    static_cast<long long>(options.ranks) * threads);
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](const run::Progress& progress) { view.show(progress); };
    const v1::Estimate estimate = preflight(spec.batch, threads * options.ranks, context, show);
    view.end_line();
    std::cerr << outlook(estimate, reusable_in(output, spec, context.compute)) << "\n";
    if (!spec.chosen.empty()) {
        std::cerr << spec.chosen << "\n";
    }
    for (const std::string& note : estimate.notes()) {
        std::cerr << note << "\n";
    }
    warn(estimate.warnings());
    places.dataset.check_space(estimate.dataset_bytes());
    RunFolder folder(output);
    const LocalRunResult result = run_local(spec, folder, places.dataset, context.compute,
                                            {options.ranks, threads, options.device, show});
    view.end_line();
    warn(result.solve.warnings());
    warn(result.package.warnings());
    RunFigures figures = figures_of(result.solve, result.dataset);
    figures.name = spec.batch.name();
    figures.method = spec.batch.solver().method();
    figures.started = started;
    figures.ranks = options.ranks;
    figures.threads = threads;
    figures.total_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const v1::RunSummary summary = summary_of(figures, this_machine());
    write_file(folder.work("summary.json"), report::to_json(summary, report::Layout::Indented));
    places.summary.put(folder.work("summary.json"));

    v1::RunReport report = run_report(result, folder);
    if (context.json) {
        *report.mutable_summary() = summary;
        print_report(report);
    } else {
        print_table(figures, result, folder);
    }
    for (const v1::RunReport::Failure& failure : report.failures()) {
        std::cerr << "error: source " << failure.source() << ": " << failure.cause() << "\n";
    }
    if (!report.failures().empty()) {
        return run::kExitSomeFailed;
    }
    if (!options.keep_work) {
        folder.remove_work();
    }
    return run::kExitOk;
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

/// The specification of a request that has no mesh, or of what was left of it; empty: another one.
std::string file_without_mesh(const RunOptions& options) {
    const std::string file =
        options.file.empty() ? (std::filesystem::path(options.resume) / "work/spec.json").string()
                             : options.file;
    if (!std::filesystem::exists(file)) {
        return "";  // whose complaint is the same for all
    }
    const request::Kind* kind = kind_of_file(file);
    return kind == nullptr || kind == &request::greens_kind() || kind == &request::inversion_kind()
               ? ""
               : file;
}

int run_without_mesh(const std::string& file, const RunOptions& options, const Context& context) {
    const request::Kind& kind = *kind_of_file(file);
    const bool resume = options.file.empty();
    const auto request =
        resume ? kind.check(*request::built_in_kinds().parse(request::read_text_file(file), file))
               : kind.load(file);
    const std::filesystem::path output =
        resume ? options.resume
               : (options.output.empty() ? file_name_of(request->name()) : options.output);
    const int threads = threads_per_rank(options);
    const LeftBehind left(output, kind.content_hash(request->message()));
    try {
        return run_local_graph(*request, kind,
                               {output,
                                resume,
                                options.force,
                                options.keep_work,
                                {options.ranks, threads, options.device, {}}},
                               context);
    } catch (const Interrupted&) {
        std::cerr << "\n" << left.text(resume_command(options, output, context)) << "\n";
        throw;
    }
}

int run_command(const RunOptions& options, const Context& context) {
    if (!options.local) {
        throw Error(ErrorCode::InvalidArgument,
                    "--local: must be given: `" + context.program + " run --local " +
                        (options.file.empty() ? "FILE" : shell_word(options.file)) +
                        "` computes on this machine, `" + context.program +
                        " submit` through a server");
    }
    if (const std::string file = file_without_mesh(options); !file.empty()) {
        return run_without_mesh(file, options, context);
    }
    const request::LoadedSpec spec = spec_of(options, context);
    const std::filesystem::path output = output_of(options, spec);
    const LeftBehind left(output, request::content_hash(spec.batch));
    try {
        return compute_batch(options, spec, output, context);
    } catch (const Interrupted&) {
        std::cerr << "\n" << left.text(resume_command(options, output, context)) << "\n";
        throw;
    }
}

}  // namespace

void add_run(Command& app, Context& context) {
    const auto options = std::make_shared<RunOptions>();
    Command& command = add_command<RunOptions>(
        app, context, "run",
        "Compute a specification on this machine: Green's functions, a scenario or waves", options,
        run_command);
    command.add_options(
        {{"--local", &options->local, "Compute here, without a server: must be given"},
         {"FILE", &options->file, "Specification (YAML)"},
         {"-o,--output", &options->output,
          "Folder for greens.h5 and summary.json; default: the job's name"},
         {"--resume",
          &options->resume,
          "In place of FILE: folder of an interrupted run, which goes on from its last "
          "checkpoint, on any number of ranks",
          {.excludes = "--output"}},
         {"--ranks", &options->ranks, "MPI ranks", {.check = between(1, 4096)}},
         {"--threads",
          &options->threads,
          "Threads of each rank; 0: OMP_NUM_THREADS, else the cores, divided among the ranks",
          {.check = kNotNegative}},
         {"--device",
          &options->device,
          "auto, cpu or cuda; auto: a GPU where there is one and the job can run on it",
          {.check = one_of("auto|cpu|cuda")}},
         {"--force", &options->force,
          "Replace files, and the work of an interrupted run, of other specifications"},
         {"--keep-work", &options->keep_work,
          "Keep the work folder after success; a run that stops early always keeps it "
          "and the next one goes on from it"}});
}

}  // namespace kaname::cli
