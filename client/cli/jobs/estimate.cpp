// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>
#include <iterator>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/pack.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct EstimateOptions {
    std::string file;
    int threads = 0;
};

std::string years(double seconds) {
    return format_number(seconds / kJulianYear_s) + " years";
}

std::pair<std::string, std::string> time_row(const v1::Estimate& estimate) {
    if (estimate.method() == "spectrum") {
        return {"relaxation spectrum", "about " + format_count(estimate.steps()) + " shifts"};
    }
    std::string text = format_count(estimate.steps());
    if (estimate.first_step_s() > 0.0) {
        text += " of " + years(estimate.first_step_s());
    }
    if (estimate.longest_step_s() > estimate.first_step_s()) {
        text += " growing to " + years(estimate.longest_step_s());
    }
    return {"steps", text};
}

std::string stages_text(const v1::Estimate& estimate) {
    return "mesh " + format_seconds(estimate.mesh_s()) + ", setting up " +
           format_seconds(estimate.setup_s()) + ", " + counted(estimate.packs(), "pack") + " of " +
           format_seconds(estimate.each_pack_s()) + ", dataset " +
           format_seconds(estimate.package_s());
}

/// The calibration takes the time of processors where that is less than the clock's.
std::string threads_text(const v1::Estimate& estimate) {
    return counted(estimate.threads(), "thread") + " of an idle machine";
}

constexpr const char* kRupture = "rupture";  ///< a method that solves one source at a time

/// A pack takes as long for one source as for all that it has room for.
std::string packed_sources_text(const v1::Estimate& estimate) {
    const long long packs = estimate.packs(), sources = estimate.sources();
    const long long room = packs * kSourcesPerPack - sources;
    std::string text =
        format_count(sources) + " in " + format_count(packs) + (packs == 1 ? " pack" : " packs");
    if (room > 0) {
        text += packs == 1 ? ", which has room for " : ", the last with room for ";
        text += format_count(room) + " more in the same time";
    }
    return text;
}

/// Prints the estimate of an inversion, which has no mesh and no packs.
void print_without_mesh(const v1::Estimate& estimate) {
    std::cout << format_table(
        {{"unknowns", format_count(estimate.dof())},
         {"sources", format_count(estimate.sources())},
         {"stations", format_count(estimate.stations())},
         {"epochs", format_count(estimate.epochs())},
         {"memory", format_bytes(estimate.solve_bytes()) + " of " +
                        format_bytes(estimate.available_bytes()) + " available"},
         {"result", format_bytes(estimate.dataset_bytes())},
         {"time", time_text(estimate.total_s(), estimate.low_s(), estimate.high_s()) + " with " +
                      threads_text(estimate)}});
}

/// "1,200 of 0.002 s", or with local time stepping the longest, and the shortest beside it.
std::string wave_steps_text(const v1::Estimate& estimate) {
    std::string text = format_count(estimate.steps()) + " of " +
                       format_number(std::max(estimate.first_step_s(), estimate.longest_step_s())) +
                       " s";
    if (estimate.longest_step_s() > estimate.first_step_s()) {
        text += ", the shortest " + format_number(estimate.first_step_s()) + " s";
    }
    return text;
}

/// Waves: receivers, samples, and steps that are parts of seconds.
void print_waves(const v1::Estimate& estimate) {
    std::vector<std::pair<std::string, std::string>> rows = {
        {"unknowns", format_count(estimate.dof())}};
    if (estimate.tets() > 0) {
        rows.emplace_back("mesh", counted(estimate.tets(), "element"));
    }
    if (estimate.method() != kRupture) {
        rows.emplace_back("sources", packed_sources_text(estimate));
    }
    const std::pair<std::string, std::string> others[] = {
        {"receivers", format_count(estimate.stations())},
        {"samples", format_count(estimate.epochs())},
        {"steps", wave_steps_text(estimate)},
        {"memory", format_bytes(estimate.solve_bytes()) + " of " +
                       format_bytes(estimate.available_bytes()) + " available"},
        {"GPU memory", format_bytes(estimate.gpu_bytes()) + ", where the workers have GPUs"},
        {"dataset", format_bytes(estimate.dataset_bytes())},
        {"time", time_text(estimate.total_s(), estimate.low_s(), estimate.high_s()) + " with " +
                     threads_text(estimate)},
        {"", (estimate.tets() > 0 ? "mesh " + format_seconds(estimate.mesh_s()) + ", " : "") +
                 "setting up " + format_seconds(estimate.setup_s()) + ", " +
                 counted(estimate.packs(), "pack") + " of " +
                 format_seconds(estimate.each_pack_s()) + ", dataset " +
                 format_seconds(estimate.package_s())}};
    rows.insert(rows.end(), std::begin(others), std::end(others));
    std::cout << format_table(rows);
}

void print_estimate(const v1::Estimate& estimate) {
    if (estimate.packs() == 0) {
        print_without_mesh(estimate);
        return;
    }
    if (estimate.method() == "waves" || estimate.method() == kRupture) {
        print_waves(estimate);
        return;
    }
    const double relaxation_s = estimate.shortest_relaxation_time_s();
    std::cout << format_table(
        {{"unknowns", format_count(estimate.dof())},
         {"mesh", counted(estimate.tets(), "element") + ", " + format_count(estimate.vertices()) +
                      " vertices"},
         {"sources", packed_sources_text(estimate)},
         {"stations", format_count(estimate.stations())},
         {"epochs", format_count(estimate.epochs())},
         time_row(estimate),
         {"shortest relaxation time", relaxation_s > 0.0 ? years(relaxation_s) : "none (elastic)"},
         {"memory", format_bytes(estimate.solve_bytes()) + " of " +
                        format_bytes(estimate.available_bytes()) + " available"},
         {"GPU memory", format_bytes(estimate.gpu_bytes()) + ", where the workers have GPUs"},
         {"dataset", format_bytes(estimate.dataset_bytes())},
         {"time", time_text(estimate.total_s(), estimate.low_s(), estimate.high_s()) + " with " +
                      threads_text(estimate)},
         {"", stages_text(estimate)}});
}

int estimate_command(const EstimateOptions& options, const Context& context) {
    const auto wanted = request::built_in_kinds().load(options.file);
    const v1::Estimate estimate =
        preflight_file(options.file, wanted->message(), options.threads, context);
    if (context.json) {
        print_report(estimate);
        return run::kExitOk;
    }
    print_estimate(estimate);
    if (!wanted->chosen().empty()) {
        std::cout << wanted->chosen() << "\n";
    }
    for (const std::string& note : estimate.notes()) {
        std::cout << note << "\n";
    }
    warn(estimate.warnings());
    return run::kExitOk;
}

}  // namespace

void add_estimate(Command& app, Context& context) {
    const auto options = std::make_shared<EstimateOptions>();
    Command& command = add_command<EstimateOptions>(app, context, "estimate",
                                                    "Say what a request would take to compute",
                                                    options, estimate_command);
    command.add_options({
        {"FILE", &options->file, "Request (YAML)", kRequired},
        {"--threads", &options->threads, "Threads in all; 0: all cores", {.check = kNotNegative}},
    });
}

namespace {

struct ValidateOptions {
    std::string file;
    bool schema_only = false, canonical = false;
};

int validate_command(const ValidateOptions& options, const Context& context) {
    const request::Kinds& kinds = request::built_in_kinds();
    const auto wanted = kinds.load(options.file);
    v1::ValidateReport report;
    report.set_valid(true);
    report.set_name(wanted->name());
    report.set_content_hash(kinds.of(wanted->message()).content_hash(wanted->message()));
    report.set_chosen(wanted->chosen());
    v1::Estimate estimate;
    if (!options.schema_only) {
        estimate = preflight_file(options.file, wanted->message(), 0, context);
        *report.mutable_warnings() = estimate.warnings();
    }
    if (options.canonical) {
        report.mutable_specification()->PackFrom(wanted->message());
    }
    if (context.json) {
        // How far what was chosen, or given, will be off.
        for (const std::string& note : estimate.notes()) {
            if (note.starts_with("predicted error: ")) {
                *report.mutable_chosen() += (report.chosen().empty() ? "" : "\n") + note;
            }
        }
        print_report(report);
        return run::kExitOk;
    }
    for (const std::string& warning : report.warnings()) {
        std::cerr << "warning: " << warning << "\n";
    }
    if (options.canonical) {
        print_report(wanted->message());
        return run::kExitOk;
    }
    if (!report.chosen().empty()) {
        std::cout << report.chosen() << "\n";
    }
    for (const std::string& note : estimate.notes()) {
        std::cout << note << "\n";
    }
    std::cout << options.file << ": valid\n";
    return run::kExitOk;
}

}  // namespace

void add_validate(Command& app, Context& context) {
    const auto options = std::make_shared<ValidateOptions>();
    Command& command = add_command<ValidateOptions>(
        app, context, "validate", "Check a request and report everything that is wrong", options,
        validate_command);
    command.add_options({{"FILE", &options->file, "Request (YAML)", kRequired},
                         {"--schema-only", &options->schema_only,
                          "Leave out the rules that need geometry, memory or time"},
                         {"--canonical", &options->canonical,
                          "Print the request with defaults and SI units, as JSON"}});
}

}  // namespace kaname::cli
