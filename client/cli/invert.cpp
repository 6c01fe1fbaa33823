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

void add_said(Command& command, InversionOptions& said) {
    // Each belongs to an inversion without a specification.
    constexpr command::Rules kSaid{.group = "In place of FILE"};
    constexpr command::Rules kSaidAgain{.one_each = true, .group = kSaid.group};
    command.add_options(
        {{"--greens", &said.greens, "Dataset of Green's functions", kSaid},
         {"--data", &said.data, "Table of observations (CSV); may be repeated", kSaidAgain},
         {"--kind", &said.kinds,
          "gnss (default), gnss_acoustic, ocean_bottom_pressure or insar: of all data, or once for "
          "each",
          kSaidAgain},
         {"--unit", &said.unit,
          "Unit of columns without one in their name: m, cm, mm, m_per_year, cm_per_year, "
          "mm_per_year",
          kSaid},
         {"--epoch-years", &said.epoch_years, "When the motion was measured, since the slip",
          kSaid},
         {"--since-years", &said.since_years, "The motion between then and the epoch", kSaid},
         {"--sigma-east-m", &said.sigma_east_m,
          "Standard deviation of rows that have none, of velocities per year", kSaid},
         {"--sigma-north-m", &said.sigma_north_m, "The same to the north", kSaid},
         {"--sigma-up-m", &said.sigma_up_m, "The same upwards", kSaid},
         {"--sigma-los-m", &said.sigma_los_m, "The same towards the satellite", kSaid},
         {"--rake-from", &said.rake_from_deg, "Least rake of slip [degrees]", kSaid},
         {"--rake-to", &said.rake_to_deg, "Largest rake of slip [degrees]", kSaid},
         {"--azimuth", &said.azimuth_deg,
          "One direction of slip, of the hanging wall [degrees from north]", kSaid},
         {"--max-m", &said.max_m, "Largest slip [m]", kSaid},
         {"--magnitude", &said.magnitude, "Moment magnitude of all slip", kSaid},
         {"--allow-negative", &said.allow_negative, "Slip against its component's rake too", kSaid},
         {"--choice", &said.choice, "Of the weights: cross_validation, abic or l_curve", kSaid},
         {"--name", &said.name, "Name of the inversion", kSaid}});
}

}  // namespace

void add_invert(Command& app, Context& context) {
    const auto options = std::make_shared<InvertOptions>();
    Command& command = add_command<InvertOptions>(
        app, context, "invert", "Find slip from observed motion", options, invert_command);
    command.add_options(
        {{"FILE", &options->file, "Specification (YAML)"},
         {"-o,--output", &options->output,
          "Folder for inversion.h5 and slip.csv; default: the inversion's name"},
         {"--threads", &options->threads, "Threads; 0: all cores", {.check = kNotNegative}},
         {"--force", &options->force, "Replace files that are there"},
         {"--job", &options->job,
          "Invert with the sources of this job of the service as they come: id, its "
          "first characters, a name, or latest"}});
    add_service_options(command, options->service);
    add_said(command, options->said);
}

}  // namespace kaname::cli
