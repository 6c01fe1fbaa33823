// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/datasets/export.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

// export: a dataset's Green's functions in the layouts that inversion codes read.
namespace kaname::cli {
namespace fs = std::filesystem;

std::string python_program() {
    if (const char* named = std::getenv("KANAME_PYTHON"); named != nullptr && *named != '\0') {
        return named;
    }
    const char* const system = "/usr/bin/python3";
    return fs::exists(system) ? system : "python3";
}

int export_command(const ExportOptions& options, const Context& context) {
    refuse_no_dataset(options.file, context.program);
    const OutputFolder place("--output", options.output, options.force);
    const TemporaryFolder stage(place.make_parent());
    // Its permissions are those of any new folder, unlike the stage's.
    const fs::path made = stage.path() / "export";
    std::vector<std::string> arguments = {"export",       "--dataset", options.file, "--to",
                                          options.layout, "--out",     made.string()};
    const auto pass_on = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            arguments.push_back(name + ("=" + value));  // one word: values may begin with a minus
        }
    };
    pass_on("--epoch", options.epoch);
    pass_on("--rake", options.rake);
    pass_on("--dt", options.dt);
    pass_on("--origin-time", options.origin_time);
    auto report = verb_report<v1::WrittenReport>(context.compute, arguments);
    place.put(made, "manifest.json");
    for (std::string& file : *report.mutable_written()) {
        file = (place.path() / fs::path(file).filename()).string();
    }
    tell_written(report, context.json);
    return run::kExitOk;
}

void add_export_options(Command& command, ExportOptions& options) {
    command.add_options(
        {{"--to", &options.layout,
          "Layout: csi, altar, beat, pylith, viscojapan, pyrocko, csv, geojson or gmt; of "
          "seismograms sac or miniseed, of ruptures scec; of surfaces and volumes vtu",
          kRequired},
         {"-o,--output", &options.output, "Folder for the files, new or empty", kRequired},
         {"--epoch",
          &options.epoch,
          "Epoch in years, one of the dataset's, for layouts that hold one (default: "
          "the first), and vtu (default: all)",
          {.check = kNumber}},
         {"--rake",
          &options.rake,
          "beat: rake of uparr in degrees; default: 90",
          {.check = kNumber}},
         {"--dt",
          &options.dt,
          "pyrocko: interval of samples in years; default: the shortest between epochs",
          {.check = kNumber}},
         {"--origin-time", &options.origin_time,
          "sac, miniseed: UTC time of the sources' time 0, as 2016-11-13T11:02:56Z; default: "
          "1970-01-01"},
         {"--force", &options.force,
          "Also into a folder with files: replaces those of the same names"}});
}

void add_export(Command& app, Context& context) {
    const auto options = std::make_shared<ExportOptions>();
    Command& command = add_command<ExportOptions>(
        app, context, "export",
        "Write a dataset for other programs: Green's functions, seismograms or fields", options,
        export_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5, seismograms.h5 or rupture.h5)", kRequired}});
    add_export_options(command, *options);
}

void check_xdmf_places(const std::string& field, const fs::path& dataset, bool force) {
    const fs::path views = dataset.parent_path() / (dataset.stem().string() + "_xdmf.h5");
    bool named = false;
    for (const char* group : {"surface", "volume", "snapshots", "ground", "elements", "rupture"}) {
        const fs::path xdmf =
            dataset.parent_path() / (dataset.stem().string() + "_" + group + ".xdmf");
        const bool shows_views = describes(views)(xdmf).empty();
        (void)OutputPlace(field, xdmf, force, [&](const fs::path& path) {
            return shows_views ? std::string() : describes(dataset)(path);
        });
        named |= shows_views;
    }
    (void)OutputPlace(field, views, force, [&](const fs::path&) {
        return named ? std::string() : "is named by no Xdmf of " + dataset.filename().string();
    });
}

namespace {

struct XdmfOptions {
    std::string file;
    bool force = false;
};

int xdmf_command(const XdmfOptions& options, const Context& context) {
    check_xdmf_places("FILE", options.file, options.force);
    const auto report =
        verb_report<v1::WrittenReport>(context.compute, {"xdmf", "--dataset", options.file});
    tell_written(report, context.json);
    return run::kExitOk;
}

}  // namespace

void add_xdmf(Command& app, Context& context) {
    const auto options = std::make_shared<XdmfOptions>();
    Command& command = add_command<XdmfOptions>(
        app, context, "xdmf",
        "Write Xdmf for ParaView beside a dataset: a scenario's surface and volume, snapshots of "
        "waves",
        options, xdmf_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5, seismograms.h5, rupture.h5)", kRequired},
         {"--force", &options->force, "Replace files of these names that do not describe it"}});
}

namespace {

namespace fs = std::filesystem;

struct PlotOptions {
    std::string file, source, contours, component, output;
    std::vector<std::string> epochs_years, stations;
    std::string width_km;
    bool force = false;
};

/// The plotting script that belongs to a program, in the build folder as where it is installed.
fs::path script_beside(const fs::path& program) {
    const fs::path script =
        program.parent_path().parent_path() / "share/kaname/scripts/plot_dataset.py";
    if (!fs::exists(script)) {
        throw Error(ErrorCode::NotFound,
                    script.string() + " is not there: this installation has no scripts");
    }
    return script;
}

std::vector<std::string> command_line(const PlotOptions& options, const Context& context) {
    // -B: no byte code in the source tree.
    std::vector<std::string> argv = {
        python_program(), "-B", script_beside(context.compute.program()).string(), options.file};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            argv.insert(argv.end(), {std::string(name) + "=" + value});
        }
    };
    add("--source", options.source);
    for (const std::string& years : options.epochs_years) {
        add("--epoch", years);
    }
    for (const std::string& station : options.stations) {
        add("--station", station);
    }
    add("--contours", options.contours);
    add("--component", options.component);
    add("--width", options.width_km);
    add("--output", options.output);
    if (options.force) {
        argv.emplace_back("--force");
    }
    if (context.json) {
        argv.emplace_back("--json");
    }
    return argv;
}

int plot_command(const PlotOptions& options, const Context& context) {
    using namespace std::chrono_literals;
    refuse_no_dataset(options.file, context.program);
    run::Process script({.argv = command_line(options, context), .env = {}});
    std::string written, said;
    script.close_stdin();
    while (script.read_lines(200ms, [&](run::Source source, std::string_view line) {
        (source == run::Source::Stdout ? written : said) += std::string(line) + "\n";
    })) {
        throw_if_interrupted();
    }
    const run::ExitStatus status = script.wait();
    if (!status.ok()) {
        // The script's message without its "error: "; the trace of one that broke as it is.
        constexpr std::string_view kMark = "error: ";
        const std::size_t begin = said.starts_with(kMark) ? kMark.size() : 0;
        const std::size_t end = said.find_last_not_of('\n');
        throw Error(status.signal == 0 ? run::error_of_exit(status.code) : ErrorCode::Internal,
                    end == std::string::npos ? "plotting ended with " + status.text()
                                             : said.substr(begin, end + 1 - begin));
    }
    std::cerr << said;
    std::cout << written;
    return run::kExitOk;
}

}  // namespace

void add_plot(Command& app, Context& context) {
    const auto options = std::make_shared<PlotOptions>();
    Command& command = add_command<PlotOptions>(
        app, context, "plot",
        "Draw a dataset: maps of a source or a scenario, time series of stations, seismograms, or "
        "a rupture on its faults",
        options, plot_command);
    command.add_options(
        {{"FILE", &options->file,
          "Dataset (greens.h5, inversion.h5, seismograms.h5 or "
          "rupture.h5)",
          kRequired},
         {"--source", &options->source,
          "Source; default: the done one closest to the stations, of a scenario the "
          "total"},
         {"--epoch",
          &options->epochs_years,
          "Map at this epoch, years; may be repeated. Default: the first, the last, "
          "and the change between them",
          {.one_each = true}},
         {"--station",
          &options->stations,
          "Time series of this station; may be repeated",
          {.one_each = true}},
         {"--contours", &options->contours,
          "CSV of lon_deg, lat_deg, depth_km on a grid: depth contours on the map"},
         {"--width", &options->width_km, "Width of the map, km"},
         {"--component", &options->component,
          "Of seismograms: x, y or z; default: z, of a "
          "rupture y"},
         {"-o,--output", &options->output,
          "Picture (.png, .pdf, .svg); default: beside FILE, FILE_map.png or "
          "FILE_series.png"},
         {"--force", &options->force, "Write over an existing picture"}});
}

}  // namespace kaname::cli
