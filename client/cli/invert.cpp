// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/inversion_options.hpp"
#include "client/cli/output_place.hpp"
#include "client/cli/progress_view.hpp"
#include "client/cli/schema_of_file.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/form/json.hpp"
#include "proto/spec/inversion/inversion_kind.hpp"
#include "proto/spec/inversion/load_inversion.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpecification = "inversion.yaml";

struct InvertOptions {
    std::string file, output;
    InversionOptions said;
    int threads = 0;
    bool force = false;
};

/// A specification, and its text where options stand for it.
struct Wanted {
    spec::LoadedInversion spec;
    fs::path folder;
    std::string yaml;
};

Wanted wanted_by(const InvertOptions& options, const Context& context) {
    const bool said = options.file.empty();
    if (said ? options.said.greens.empty() && options.said.data.empty()
             : !options.said.data.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "invert: must have FILE, or --greens and --data, one of them");
    }
    Wanted wanted;
    if (!said) {
        require_inversion(options.file, context.program);
        wanted.spec = spec::load_inversion(options.file, options.said.greens);
    } else {
        if (options.said.greens.empty() || options.said.data.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string("invert: must have both --greens and --data, has no ") +
                            (options.said.greens.empty() ? "--greens" : "--data"));
        }
        wanted.spec = spec::check_inversion(inversion_of(options.said));
    }
    wanted.folder = options.output.empty() ? wanted.spec.inversion.name() : options.output;
    wanted.yaml = said ? yaml_of(inversion_of(options.said), wanted.folder) : "";
    return wanted;
}

/// What an inversion leaves in its folder: the result and its slip as tables.
struct Places {
    OutputPlace inversion;
    std::vector<std::pair<std::string, OutputPlace>> slip;  ///< by window

    Places(const Wanted& wanted, bool force)
        : inversion("--output", wanted.folder / spec::kInversionFile, force,
                    [](const fs::path&) { return "is there already"; }) {
        const auto& windows = wanted.spec.inversion.slip().windows();
        for (const v1::SlipWindow& window : windows) {
            const std::string name =
                windows.size() == 1 ? "slip.csv" : "slip_" + window.name() + ".csv";
            slip.emplace_back(window.name(), OutputPlace("--output", wanted.folder / name, force));
        }
    }
};

/// Leaves nothing of what was begun in `place`, nor its folder if that is empty then.
void clean_up(const OutputPlace& place, bool folder_is_new) {
    std::error_code ignored;
    fs::remove(place.part(), ignored);
    if (folder_is_new) {
        fs::remove(place.path().parent_path(), ignored);
    }
}

/// The slip of the result in `part`, as tables at their places.
void put_slip_tables(const Places& places, const Context& context) {
    const TemporaryFolder stage(places.inversion.path().parent_path());
    const auto written = verb_report<v1::WrittenReport>(
        context.compute, {"slip-tables", "--dataset", places.inversion.part().string(), "--out",
                          stage.path().string()});
    for (const std::string& file : written.written()) {
        for (const auto& [window, place] : places.slip) {
            if (fs::path(file).stem() == window) {
                place.put(file);
            }
        }
    }
}

v1::InversionReport compute(const Wanted& wanted, const InvertOptions& options,
                            const Places& places, const Context& context) {
    const OutputPlace& place = places.inversion;
    const TemporaryFolder scratch;
    const fs::path spec_file = scratch.path() / "spec.json";
    write_file(spec_file, spec::to_json(wanted.spec.inversion));
    ProgressView view(std::cerr, terminal_columns());
    run::VerbCall call;
    call.arguments = {"invert",
                      "--spec",
                      spec_file.string(),
                      "--out",
                      place.part().string(),
                      "--threads",
                      std::to_string(options.threads),
                      "--watch-stdin"};
    call.on_progress = [&](const run::Progress& progress) { view.show(progress); };
    auto report = verb_report<v1::InversionReport>(context.compute, std::move(call));
    view.end_line();
    put_slip_tables(places, context);
    place.put(place.part());
    report.set_file(place.path().string());
    return report;
}

int invert_command(const InvertOptions& options, const Context& context) {
    const Wanted wanted = wanted_by(options, context);
    const Places places(wanted, options.force);
    const OutputPlace& place = places.inversion;
    std::optional<OutputPlace> yaml_place;
    if (!wanted.yaml.empty()) {
        yaml_place.emplace(
            "--output", wanted.folder / kSpecification, options.force, [&](const fs::path& there) {
                return read_file_if_any(there) == wanted.yaml ? "" : "is another specification";
            });
    }
    if (!wanted.spec.chosen.empty()) {
        std::cerr << wanted.spec.chosen << "\n";
    }
    const bool folder_is_new = !fs::exists(wanted.folder);
    place.make_folder();
    v1::InversionReport report;
    try {
        report = compute(wanted, options, places, context);
    } catch (...) {
        clean_up(place, folder_is_new);
        throw;
    }
    if (yaml_place) {
        write_file(yaml_place->part(), wanted.yaml);
        yaml_place->put(yaml_place->part());
    }
    if (context.json) {
        print_report(report);
        return run::kExitOk;
    }
    std::cout << report.text() << "inversion: " << report.file() << "\n";
    for (const auto& [window, slip] : places.slip) {
        std::cout << "slip: " << slip.path().string() << "\n";
    }
    if (yaml_place) {
        std::cout << "specification: " << yaml_place->path().string() << "\n";
    }
    return run::kExitOk;
}

void add_said(CLI::App& command, InversionOptions& said) {
    // Each belongs to an inversion without a specification.
    const auto of_said = [&](CLI::Option* option) { option->group("In place of FILE"); };
    of_said(command.add_option("--greens", said.greens, "Dataset of Green's functions"));
    of_said(command.add_option("--data", said.data, "Table of observations (CSV); may be repeated")
                ->allow_extra_args(false));
    of_said(command
                .add_option("--kind", said.kinds,
                            "gnss (default), gnss_acoustic, ocean_bottom_pressure or insar: of "
                            "all data, or once for each")
                ->allow_extra_args(false));
    of_said(command.add_option("--unit", said.unit,
                               "Unit of columns without one in their name: m, cm, mm, m_per_year, "
                               "cm_per_year, mm_per_year"));
    of_said(command.add_option("--epoch-years", said.epoch_years,
                               "When the motion was measured, since the slip"));
    of_said(command.add_option("--since-years", said.since_years,
                               "The motion between then and the epoch"));
    of_said(command.add_option("--sigma-east-m", said.sigma_east_m,
                               "Standard deviation of rows that have none, of velocities per "
                               "year"));
    of_said(command.add_option("--sigma-north-m", said.sigma_north_m, "The same to the north"));
    of_said(command.add_option("--sigma-up-m", said.sigma_up_m, "The same upwards"));
    of_said(
        command.add_option("--sigma-los-m", said.sigma_los_m, "The same towards the satellite"));
    of_said(command.add_option("--rake-from", said.rake_from_deg, "Least rake of slip [degrees]"));
    of_said(command.add_option("--rake-to", said.rake_to_deg, "Largest rake of slip [degrees]"));
    of_said(command.add_option("--azimuth", said.azimuth_deg,
                               "One direction of slip, of the hanging wall [degrees from north]"));
    of_said(command.add_option("--max-m", said.max_m, "Largest slip [m]"));
    of_said(command.add_option("--magnitude", said.magnitude, "Moment magnitude of all slip"));
    of_said(command.add_flag("--allow-negative", said.allow_negative,
                             "Slip against its component's rake too"));
    of_said(command.add_option("--choice", said.choice,
                               "Of the weights: cross_validation, abic or l_curve"));
    of_said(command.add_option("--name", said.name, "Name of the inversion"));
}

}  // namespace

void add_invert(CLI::App& app, Context& context) {
    const auto options = std::make_shared<InvertOptions>();
    CLI::App* command = add_command<InvertOptions>(
        app, context, "invert", "Find slip from observed motion", options, invert_command);
    command->add_option("FILE", options->file, "Specification (YAML)");
    command->add_option("-o,--output", options->output,
                        "Folder for inversion.h5 and slip.csv; default: the inversion's name");
    command->add_option("--threads", options->threads, "Threads; 0: all cores")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--force", options->force, "Replace files that are there");
    add_said(*command, options->said);
}

}  // namespace kaname::cli
