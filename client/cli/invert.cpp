// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/live_inversion.hpp"
#include "client/cli/schema_of_file.hpp"
#include "client/cli/verb_report.hpp"
#include "client/cli/wanted_inversion.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

int invert_file(const InvertOptions& options, const Context& context) {
    const WantedInversion wanted = wanted_inversion(options);
    const InversionFolder folder = wanted.place(options.force);
    if (!wanted.spec.chosen.empty()) {
        std::cerr << wanted.spec.chosen << "\n";
    }
    const v1::InversionReport report = folder.fill(wanted.spec.inversion, options.threads, context);
    if (context.json) {
        print_report(report);
    } else {
        std::cout << report.text() << folder.text();
    }
    return run::kExitOk;
}

int invert_command(const InvertOptions& options, const Context& context) {
    if (!is_said(options)) {
        require_inversion(options.file, context.program);
    }
    return options.job.empty() ? invert_file(options, context) : invert_job(options, context);
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
    command->add_option("--job", options->job,
                        "Invert with the sources of this job of the service as they come: id, its "
                        "first characters, a name, or latest");
    add_service_options(*command, options->service);
    add_said(*command, options->said);
}

}  // namespace kaname::cli
