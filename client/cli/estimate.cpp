// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/outlook.hpp"
#include "client/cli/preflight.hpp"
#include "solvers/base/units.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct EstimateOptions {
    std::string file;
    int threads = 0;
};

std::string count(const json& report, const char* key) {
    return format_count(report.at(key).get<long long>());
}

std::string years(double seconds) {
    return format_number(seconds / kJulianYear_s) + " years";
}

std::pair<std::string, std::string> time_row(const json& report) {
    if (report.value("method", "stepping") == "spectrum") {
        return {"relaxation spectrum", "about " + count(report, "steps") + " shifts"};
    }
    const double step_s = report.at("step_s");
    const double longest_s = report.value("longest_step_s", step_s);
    std::string text = count(report, "steps");
    if (step_s > 0.0) {
        text += " of " + years(step_s);
    }
    if (longest_s > step_s) {
        text += " growing to " + years(longest_s);
    }
    return {"steps", text};
}

std::string stages_text(const json& report) {
    const auto time = [&](const char* key) { return format_seconds(report.at(key)); };
    return "mesh " + time("mesh_s") + ", setting up " + time("setup_s") + ", " +
           count(report, "packs") + " packs of " + time("pack_s") + ", dataset " +
           time("package_s");
}

/// A pack takes as long for one source as for four.
std::string sources_text(const json& report) {
    constexpr long long kSourcesPerPack = 4;
    const long long packs = report.at("packs"), sources = report.at("sources");
    const long long room = packs * kSourcesPerPack - sources;
    std::string text =
        format_count(sources) + " in " + format_count(packs) + (packs == 1 ? " pack" : " packs");
    if (room > 0) {
        text += packs == 1 ? ", which has room for " : ", the last with room for ";
        text += format_count(room) + " more in the same time";
    }
    return text;
}

void print(const json& report) {
    const double relaxation_s = report.at("shortest_relaxation_time_s");
    std::cout << format_table(
        {{"unknowns", count(report, "dof")},
         {"mesh", count(report, "tets") + " elements, " + count(report, "vertices") + " vertices"},
         {"sources", sources_text(report)},
         {"stations", count(report, "stations")},
         {"epochs", count(report, "epochs")},
         time_row(report),
         {"shortest relaxation time", relaxation_s > 0.0 ? years(relaxation_s) : "none (elastic)"},
         {"memory", format_bytes(report.at("solve_bytes")) + " of " +
                        format_bytes(report.at("available_bytes")) + " available"},
         {"GPU memory", format_bytes(report.at("gpu_bytes")) + ", where the workers have GPUs"},
         {"dataset", format_bytes(report.at("dataset_bytes"))},
         {"time", time_text(report.at("total_s"), report.at("low_s"), report.at("high_s")) +
                      " with " + std::to_string(report.at("threads").get<int>()) + " threads"},
         {"", stages_text(report)}});
}

int estimate_command(const EstimateOptions& options, const Context& context) {
    const spec::LoadedSpec spec = spec::load_spec(options.file);
    const json report = json::parse(preflight(spec, options.threads, context));
    if (context.json) {
        std::cout << report.dump(2) << "\n";
        return channel::kExitOk;
    }
    print(report);
    if (!spec.chosen.empty()) {
        std::cout << spec.chosen << "\n";
    }
    for (const json& note : report.value("notes", json::array())) {
        std::cout << note.get<std::string>() << "\n";
    }
    for (const json& warning : report.at("warnings")) {
        std::cerr << "warning: " << warning.get<std::string>() << "\n";
    }
    return channel::kExitOk;
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
    const auto options = std::make_shared<EstimateOptions>();
    CLI::App* command = add_command<EstimateOptions>(
        app, context, "estimate", "Say what a specification would take to compute", options,
        estimate_command);
    command->add_option("FILE", options->file, "Specification (YAML)")->required();
    command->add_option("--threads", options->threads, "Threads in all; 0: all cores")
        ->check(CLI::NonNegativeNumber);
}

}  // namespace kaname::cli
