// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/interrupt.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
    std::string file, source, contours, component, output;
    std::vector<std::string> epochs_years, stations;
    std::string width_km;
    bool force = false;
};

/// Debian's, which has the packages that deploy/scripts/packages.sh installs, before another one.
std::string python() {
    if (const char* named = std::getenv("KANAME_PYTHON"); named != nullptr && *named != '\0') {
        return named;
    }
    const char* const system = "/usr/bin/python3";
    return fs::exists(system) ? system : "python3";
}

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
        python(), "-B", script_beside(context.compute.program()).string(), options.file};
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
