// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "solvers/base/units.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kListed = 20;  ///< rows of a list; --json has them all

struct ShowOptions {
    std::string file;
};

std::string number(const json& value) {
    return value.is_number() ? format_number(value) : "-";
}

std::string place(const json& object) {
    char text[64];
    std::snprintf(text, sizeof(text), "%9.4f E %9.4f N", object.at("lon_deg").get<double>(),
                  object.at("lat_deg").get<double>());
    return text;
}

void print_more(std::size_t size) {
    if (size > kListed) {
        std::cout << "  ... and " << size - kListed << " more (--json lists all)\n";
    }
}

void print_overview(const json& report) {
    const json& dims = report.at("dims");
    const json& largest = report.at("max_displacement_m");
    const json& provenance = report.at("provenance");
    std::string shape;
    for (const char* dim : {"source", "epoch", "station", "component"}) {
        shape += (shape.empty() ? "" : " x ") + dims.at(dim).dump() + " " + dim;
    }
    std::cout << format_table(
        {{"name", report.at("name")},
         {"title", report.at("title")},
         {"greens", shape + " [" + report.at("units").at("greens").get<std::string>() + "]"},
         {"largest", "east " + number(largest.at("east")) + ", north " +
                         number(largest.at("north")) + ", up " + number(largest.at("up"))},
         {"steps", dims.at("step").dump() + ", " + number(report.at("mean_iterations")) +
                       " iterations each"},
         {"unknowns", format_count(provenance.at("dof"))},
         {"tolerance", number(provenance.at("tolerance"))},
         {"made by", "kaname " + provenance.at("kaname_version").get<std::string>()},
         {"mesh", provenance.at("mesh_sha256")},
         {"materials", provenance.at("material_sha256")}});
}

void print_epochs(const json& epochs) {
    std::cout << "epochs [years]:";
    for (std::size_t i = 0; i < epochs.size() && i < kListed; ++i) {
        std::cout << " " << format_number(epochs[i].get<double>() / kJulianYear_s);
    }
    std::cout << "\n";
    print_more(epochs.size());
}

void print_sources(const json& sources) {
    std::cout << "sources:\n";
    Rows rows;
    for (std::size_t i = 0; i < sources.size() && i < kListed; ++i) {
        const json& source = sources[i];
        std::string text = source.at("status");
        text.resize(std::max<std::size_t>(text.size(), 9), ' ');
        text +=
            place(source) + "  " + number(source.at("depth_m").get<double>() / 1000.0) + " km deep";
        if (source.contains("failure")) {
            text += "  " + source.at("failure").get<std::string>();
        } else if (source.at("max_displacement_m").is_number()) {
            text += "  largest " + number(source.at("max_displacement_m"));
        }
        rows.emplace_back("  " + source.at("id").get<std::string>(), text);
    }
    std::cout << format_table(rows);
    print_more(sources.size());
}

void print_stations(const json& stations) {
    std::cout << "stations:\n";
    Rows rows;
    for (std::size_t i = 0; i < stations.size() && i < kListed; ++i) {
        rows.emplace_back("  " + stations[i].at("id").get<std::string>(), place(stations[i]));
    }
    std::cout << format_table(rows);
    print_more(stations.size());
}

int show_command(const ShowOptions& options, const Context& context) {
    const json report = json::parse(context.compute
                                        .run({.arguments = {"show", "--dataset", options.file},
                                              .ranks = 1,
                                              .log = {},
                                              .on_progress = {}})
                                        .json);
    if (context.json) {
        std::cout << report.dump(2) << "\n";
        return channel::kExitOk;
    }
    print_overview(report);
    print_epochs(report.at("epochs_s"));
    print_sources(report.at("sources"));
    print_stations(report.at("stations"));
    return channel::kExitOk;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ShowOptions>();
    CLI::App* command = add_command<ShowOptions>(app, context, "show", "Say what a dataset holds",
                                                 options, show_command);
    command->add_option("FILE", options->file, "Dataset (greens.h5)")->required();
}

}  // namespace kaname::cli
