// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "solvers/base/units.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kListed = 20;  ///< rows of a list; --json has them all

struct ShowOptions {
    ServiceOptions service;
    std::string file;
};

std::string number(const json& value) {
    return value.is_number() ? format_number(value) : "-";
}

std::string place(const json& object) {
    char text[64];
    if (object.contains("x_m")) {  // a model without a projection
        std::snprintf(text, sizeof(text), "x %9.3f y %9.3f km", object["x_m"].get<double>() / 1e3,
                      object.at("y_m").get<double>() / 1e3);
        return text;
    }
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
    std::string fields;
    for (const json& name : report.value("fields", json::array())) {
        fields += (fields.empty() ? "" : ", ") + name.get<std::string>();
    }
    std::cout << format_table(
        {{"name", report.at("name")},
         {"title", report.at("title")},
         {"greens", shape + " [" + report.at("units").at("greens").get<std::string>() + "]"},
         {"largest", "east " + number(largest.at("east")) + ", north " +
                         number(largest.at("north")) + ", up " + number(largest.at("up"))},
         {report.value("time_method", "stepping") == "spectrum" ? "solves" : "steps",
          dims.at("step").dump() + ", " + number(report.at("mean_iterations")) +
              " iterations each"},
         {"fields", fields.empty() ? "none" : fields},
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
        // Moved and loaded sides are no place.
        text += source.at("depth_m").is_number()
                    ? place(source) + "  " + number(source.at("depth_m").get<double>() / 1000.0) +
                          " km deep"
                    : source.at("component").get<std::string>() + " " +
                          source.at("patch").get<std::string>();
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

void print_events(const json& events) {
    if (events.empty()) {
        return;
    }
    std::cout << "events:\n";
    Rows rows;
    for (std::size_t i = 0; i < events.size() && i < kListed; ++i) {
        const json& event = events[i];
        std::string text = "at " + format_number(event.at("time_s").get<double>() / kJulianYear_s) +
                           " years, " + event.at("history").get<std::string>();
        if (const double repeats = event.at("repeats"); repeats > 1.0) {
            text += ", " + number(repeats) + " times";
        }
        text += ", Mw " + number(event.at("moment_magnitude")) + ", largest slip " +
                number(event.at("largest_slip_m")) + " m";
        if (event.at("potency_ratio").is_number()) {  // of slip at points there is none
            text += ", " + number(event.at("potency_ratio")) + " of the model's potency";
        }
        rows.emplace_back("  " + event.at("name").get<std::string>(), text);
    }
    std::cout << format_table(rows);
    print_more(events.size());
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

int show_job(const ShowOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.file);
    const v1::Job job = client->get_job(id);
    json report = to_json(job);
    report["items"] = json::array();
    const auto items = client->list_items(id);
    for (const v1::Item& item : items) {
        report["items"].push_back(to_json(item));
    }
    if (context.json) {
        print_json(report);
        return channel::kExitOk;
    }
    std::cout << format_table({{"job", id},
                               {"name", job.title()},
                               {"state", state_text(job.state())},
                               {"sources", counts_text(job)}});
    constexpr std::size_t kShown = 40;
    for (std::size_t i = 0; i < items.size(); ++i) {
        // The stages at the end always; of many sources the first and the failed ones.
        const v1::Item& item = items[i];
        if (i >= kShown && i + 2 < items.size() && item.state() != v1::Item::FAILED) {
            continue;
        }
        std::cout << "  " << item.label() << "  " << state_text(item.state())
                  << (item.reused() ? " (computed before)" : "")
                  << (item.error().empty() ? "" : ": " + item.error()) << "\n";
    }
    if (items.size() > kShown + 2) {
        std::cout << "  ... " << format_count(static_cast<long long>(items.size()))
                  << " stages in all; --json lists them\n";
    }
    return channel::kExitOk;
}

int show_command(const ShowOptions& options, const Context& context) {
    // A name that could be a path is one: jobs are uuids, plain names or "latest".
    const bool path = options.file.find_first_of("./") != std::string::npos;
    if (!path && !std::filesystem::exists(options.file)) {
        return show_job(options, context);
    }
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
    print_events(report.value("events", json::array()));
    print_sources(report.at("sources"));
    print_stations(report.at("stations"));
    return channel::kExitOk;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
    const auto options = std::make_shared<ShowOptions>();
    CLI::App* command = add_command<ShowOptions>(
        app, context, "show", "Say what a dataset or a job holds", options, show_command);
    command->add_option("FILE", options->file, "Dataset (greens.h5), or a job: id, name, latest")
        ->required();
    add_service_options(*command, options->service);
}

}  // namespace kaname::cli
