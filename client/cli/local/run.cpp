// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/datasets/export.hpp"
#include "client/cli/local/local_run.hpp"
#include "client/cli/local/run_folder.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct RunOptions {
    bool local = false;  ///< was asked for once; `run` always computes here
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

void print_table(const RunFigures& run, const LocalRunResult& result,
                 const std::filesystem::path& dataset) {
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
    // Rows of a scenario are its events and their sum, whose number is not that of what was solved.
    const bool scenario = std::ranges::any_of(
        result.dataset.sources(), [](const auto& source) { return source.id() == "total"; });
    std::cout << format_table(
        {{"dataset", dataset.string()},
         {scenario ? "total and events" : "sources", sources},
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

v1::RunReport run_report(const LocalRunResult& result, const std::filesystem::path& dataset) {
    v1::RunReport report;
    report.set_dataset(dataset.string());
    report.set_mesh_reused(result.mesh_reused);
    *report.mutable_solve() = result.solve;
    *report.mutable_package() = result.package;
    return report;
}

/// Counts the sources; the failures are each one that is not done.
void add_sources(const LocalRunResult& result, v1::RunReport& report) {
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
}

int threads_per_rank(const RunOptions& options) {
    return options.threads > 0 ? options.threads : threads_by_default(options.ranks);
}

/// A request as `run` was given it: a file of a user's, or what an interrupted run left.
struct Given {
    const request::Kind& kind;
    std::unique_ptr<request::Request> request;
    std::filesystem::path output;
    std::string content_hash;

    [[nodiscard]] const v1::GreensBatch* batch() const {
        return dynamic_cast<const v1::GreensBatch*>(&request->message());
    }
};

Given given_by(const RunOptions& options, const Context& context) {
    if (options.file.empty() == options.resume.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "run: must have FILE or --resume FOLDER, one of them");
    }
    const bool resume = options.file.empty();
    const std::filesystem::path left = std::filesystem::path(options.resume) / "work/spec.json";
    if (resume && !std::filesystem::exists(left)) {
        throw Error(ErrorCode::NotFound, "--resume: '" + options.resume +
                                             "' must be the folder of an interrupted run, has no "
                                             "work/spec.json");
    }
    const std::string file = resume ? left.string() : options.file;
    refuse_inversion(file, context.program);
    const request::Kind* known = kind_of_file(file);
    const request::Kind& kind = known != nullptr ? *known : request::greens_kind();
    auto request =
        resume ? kind.check(*request::built_in_kinds().parse(request::read_text_file(file), file))
               : kind.load(file);
    const std::filesystem::path output = resume                   ? options.resume
                                         : options.output.empty() ? file_name_of(request->name())
                                                                  : options.output;
    std::string hash = kind.content_hash(request->message());
    return {kind, std::move(request), output, std::move(hash)};
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
    OutputPlace result;
    std::optional<OutputPlace> summary;  ///< of Green's functions and scenarios
};

RunPlaces places_of(const RunOptions& options, const Given& given, const Context& context) {
    const std::string field = options.resume.empty() ? "--output" : "--resume";
    if (!options.force) {
        RunFolder::check_free(given.output, given.content_hash);
    }
    // A scenario's dataset has the sum of its events beside them.
    const auto sources = given.batch() == nullptr
                             ? given.request->graph().n_sources()
                             : request::source_ids(*given.batch()).size() +
                                   (request::is_scenario(*given.batch()) ? 1 : 0);
    const std::filesystem::path result = given.output / given.kind.result_file();
    RunPlaces places{OutputPlace(field, result, options.force,
                                 same_dataset({given.content_hash, static_cast<long long>(sources)},
                                              context.compute)),
                     {}};
    if (given.batch() != nullptr) {
        places.summary.emplace(field, given.output / "summary.json", options.force, judge_summary);
        check_xdmf_places(field, result, options.force);
    }
    return places;
}

/// Shows the size of the run, what was chosen and what is to be known before it begins.
void show_outlook(const v1::Estimate& estimate, const Given& given, const Context& context) {
    std::cerr << outlook(estimate, reusable_in(given.output, *given.request, given.content_hash,
                                               context.compute))
              << "\n";
    if (const std::string chosen = given.request->chosen(); !chosen.empty()) {
        std::cerr << chosen << "\n";
    }
    for (const std::string& note : estimate.notes()) {
        std::cerr << note << "\n";
    }
    warn(estimate.warnings());
}

/// Green's functions and scenarios: every source by name, the figures of the run, its summary.
int report_batch(const LocalRunResult& result, RunFigures figures, const RunPlaces& places,
                 const RunFolder& folder, const Context& context) {
    const v1::RunSummary summary = summary_of(figures, this_machine());
    write_file(folder.work("summary.json"), report::to_json(summary, report::Layout::Indented));
    places.summary->put(folder.work("summary.json"));
    v1::RunReport report = run_report(result, places.result.path());
    add_sources(result, report);
    if (context.json) {
        *report.mutable_summary() = summary;
        print_report(report);
    } else {
        print_table(figures, result, places.result.path());
    }
    for (const v1::RunReport::Failure& failure : report.failures()) {
        std::cerr << "error: source " << failure.source() << ": " << failure.cause() << "\n";
    }
    return report.failures().empty() ? run::kExitOk : run::kExitSomeFailed;
}

int report_waves(const LocalRunResult& result, const RunPlaces& places, const RunFolder& folder,
                 const Context& context) {
    const v1::PackageReport& package = result.package;
    if (context.json) {
        print_report(run_report(result, places.result.path()));
    } else {
        std::cout << places.result.path().string() << ": "
                  << counted(package.sources_done(), "source") << ", "
                  << counted(package.stations(), "receiver") << ", "
                  << counted(package.epochs(), "sample") << "\n";
    }
    if (package.sources_failed() + package.sources_missing() == 0) {
        return run::kExitOk;
    }
    std::cerr << "error: " << package.sources_failed() << " sources failed, "
              << package.sources_missing() << " are missing; " << folder.work("solve.log").string()
              << " says why\n";
    return run::kExitSomeFailed;
}

int compute(const RunOptions& options, const Given& given, const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    const std::string started = utc_now();
    const RunPlaces places = places_of(options, given, context);
    const int threads = threads_per_rank(options);
    warn_of_more_threads_than_cores("--ranks x --threads",
                                    static_cast<long long>(options.ranks) * threads);
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](const run::Progress& progress) { view.show(progress); };
    const google::protobuf::Message& message = given.request->message();
    const v1::Estimate estimate =
        options.file.empty()
            ? preflight(message, threads * options.ranks, context, show)
            : preflight_file(options.file, message, threads * options.ranks, context, show);
    view.end_line();
    show_outlook(estimate, given, context);
    places.result.check_space(estimate.dataset_bytes());
    RunFolder folder(given.output);
    const v1::GreensBatch* batch = given.batch();
    const LocalRunResult result =
        run_local(*given.request, folder, places.result, context.compute,
                  {options.ranks, threads, options.device, batch != nullptr, show});
    view.end_line();
    warn(result.solve.warnings());
    warn(result.package.warnings());
    int code = run::kExitOk;
    if (batch != nullptr) {
        RunFigures figures = figures_of(result.solve, result.dataset);
        figures.name = batch->name();
        figures.method = batch->solver().method();
        figures.started = started;
        figures.ranks = options.ranks;
        figures.threads = threads;
        figures.total_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        code = report_batch(result, figures, places, folder, context);
    } else {
        code = report_waves(result, places, folder, context);
    }
    if (code == run::kExitOk && !options.keep_work) {
        folder.remove_work();
    }
    return code;
}

/// Goes on with an interrupted run as `options` asked for it; to be typed as it is.
std::string resume_command(const RunOptions& options, const std::filesystem::path& output,
                           const Context& context) {
    std::string text = context.program + " run --resume " + shell_word(output.string());
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
    const Given given = given_by(options, context);
    const LeftBehind left(given.output, given.content_hash);
    try {
        return compute(options, given, context);
    } catch (const Interrupted&) {
        std::cerr << "\n" << left.text(resume_command(options, given.output, context)) << "\n";
        throw;
    }
}

}  // namespace

void add_run(Command& app, Context& context) {
    const auto options = std::make_shared<RunOptions>();
    Command& command = add_command<RunOptions>(
        app, context, "run",
        "Compute a request on this machine: Green's functions, a scenario or waves", options,
        run_command);
    command.add_options(
        {{"FILE", &options->file, "Request (YAML)"},
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
          "Replace files, and the work of an interrupted run, of other requests"},
         {"--keep-work", &options->keep_work,
          "Keep the work folder after success; a run that stops early always keeps it "
          "and the next one goes on from it"},
         {"--local", &options->local, "", {.group = ""}}});  // of scripts from before
}

}  // namespace kaname::cli
