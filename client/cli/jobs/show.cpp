// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr int kListed = 20;  ///< rows of a list; --json has them all

struct ShowOptions {
    ServiceOptions service;
    std::string file;
};

/// `value` may not be there, as in a report.
std::string number_if_known(bool known, double value) {
    return known ? format_number(value) : "-";
}

/// The place of a source or a station.
template <class Placed>
std::string coordinates_text(const Placed& placed) {
    char text[64];
    if (placed.has_x_m()) {  // a model without a projection
        std::snprintf(text, sizeof(text), "x %9.3f y %9.3f km", placed.x_m() / 1e3,
                      placed.y_m() / 1e3);
        return text;
    }
    std::snprintf(text, sizeof(text), "%9.4f E %9.4f N", placed.lon_deg(), placed.lat_deg());
    return text;
}

void print_more(int size) {
    if (size > kListed) {
        std::cout << "  ... and " << size - kListed << " more (--json lists all)\n";
    }
}

/// "box 1200 x 1200 x 600 km, elements of 3 km at the fault and at most 200 km"
std::string model_text(const v1::DatasetReport::Model& model) {
    const auto km = [](double m) { return format_number(m / 1e3); };
    return "box " + km(model.size_east_m()) + " x " + km(model.size_north_m()) + " x " +
           km(model.depth_m()) + " km, elements of " + km(model.size_at_fault_m()) +
           " km at the fault and at most " + km(model.size_far_m()) + " km";
}

void print_overview(const v1::DatasetReport& report) {
    const v1::DatasetReport::Dims& dims = report.dims();
    const v1::DatasetReport::Displacement& largest = report.max_displacement_m();
    const v1::DatasetReport::Provenance& provenance = report.provenance();
    const std::string shape = std::to_string(dims.source()) + " source x " +
                              std::to_string(dims.epoch()) + " epoch x " +
                              std::to_string(dims.station()) + " station x " +
                              std::to_string(dims.component()) + " component";
    std::string fields;
    for (const std::string& name : report.fields()) {
        fields += (fields.empty() ? "" : ", ") + name;
    }
    Rows rows = {
        {"name", report.name()},
        {"title", report.title()},
        {"greens", shape + " [" + report.units().greens() + "]"},
        {"largest", "east " + format_number(largest.east()) + ", north " +
                        format_number(largest.north()) + ", up " + format_number(largest.up())},
        {report.time_method() == "spectrum" ? "solves" : "steps",
         std::to_string(dims.step()) + ", " +
             number_if_known(report.has_mean_iterations(), report.mean_iterations()) +
             " iterations each"},
        {"fields", fields.empty() ? "none" : fields},
        {"unknowns", format_count(provenance.dof())},
        {"tolerance", format_number(provenance.tolerance())},
        {"made by", "kaname " + provenance.kaname_version()},
        {"mesh", provenance.mesh_sha256()},
        {"materials", provenance.material_sha256()}};
    if (!report.element().empty()) {
        rows.emplace_back(
            "method",
            "element " + report.element() + ", " +
                (report.time_method() == "spectrum" ? "relaxation spectrum" : "time steps") +
                ", solver " + report.solver_method() + ", gravity " + report.gravity());
    }
    if (report.has_model()) {
        rows.emplace_back("model", model_text(report.model()));
    }
    if (!report.predicted_error().empty()) {
        constexpr std::string_view kHead = "predicted error: ";  // as the note of a run has it
        const std::string& text = report.predicted_error();
        rows.emplace_back("predicted error",
                          text.starts_with(kHead) ? text.substr(kHead.size()) : text);
    }
    for (const std::string& warning : report.warnings()) {
        rows.emplace_back("warning", warning);
    }
    std::cout << format_table(rows);
}

void print_epochs(const v1::DatasetReport& report) {
    std::cout << "epochs [years]:";
    const int n = report.epochs_s_size();
    for (int i = 0; i < std::min(n, kListed); ++i) {
        std::cout << " " << format_number(report.epochs_s(i) / kJulianYear_s);
    }
    std::cout << "\n";
    print_more(n);
}

std::string line_of(const v1::DatasetReport::Source& source) {
    std::string text = source.status();
    text.resize(std::max<std::size_t>(text.size(), 9), ' ');
    // Moved and loaded sides are no place.
    text += source.has_depth_m() ? coordinates_text(source) + "  " +
                                       format_number(source.depth_m() / 1000.0) + " km deep"
                                 : source.component() + " " + source.patch();
    if (source.has_failure()) {
        text += "  " + source.failure();
    } else if (source.has_max_displacement_m()) {
        text += "  largest " + format_number(source.max_displacement_m());
    }
    return text;
}

std::string line_of(const v1::DatasetReport::Event& event) {
    std::string text =
        "at " + format_number(event.time_s() / kJulianYear_s) + " years, " + event.history();
    if (event.repeats() > 1.0) {
        text += ", " + format_number(event.repeats()) + " times";
    }
    text += ", Mw " + number_if_known(event.has_moment_magnitude(), event.moment_magnitude());
    if (!event.has_largest_slip_m() || event.largest_slip_m() > 0.0) {  // a moment tensor has none
        text += ", largest slip " +
                number_if_known(event.has_largest_slip_m(), event.largest_slip_m()) + " m";
    }
    if (event.has_potency_ratio()) {  // slip at points has none
        text += ", " + format_number(event.potency_ratio()) + " times the potency of its patches";
    }
    return text;
}

/// The first of a list, each with its name.
template <class List, class Name, class Line>
void print_list(const char* title, const List& list, const Name& name, const Line& line) {
    std::cout << title << ":\n";
    Rows rows;
    for (int i = 0; i < std::min(list.size(), kListed); ++i) {
        rows.emplace_back("  " + name(list[i]), line(list[i]));
    }
    std::cout << format_table(rows);
    print_more(list.size());
}

void print_dataset(const v1::DatasetReport& report) {
    const auto id = [](const auto& of) { return of.id(); };
    const auto line = [](const auto& of) { return line_of(of); };
    print_overview(report);
    print_epochs(report);
    if (!report.events().empty()) {
        print_list(
            "events", report.events(), [](const auto& of) { return of.name(); }, line);
    }
    print_list("sources", report.sources(), id, line);
    print_list("stations", report.stations(), id,
               [](const auto& of) { return coordinates_text(of); });
}

int show_job(const ShowOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.file);
    const v1::Job job = client->get_job(id);
    json report = job_json(job);
    report["items"] = json::array();
    const auto items = client->list_items(id);
    for (const v1::Item& item : items) {
        report["items"].push_back(json_of(item, kItemFields));
    }
    if (context.json) {
        print_json(report);
        return run::kExitOk;
    }
    Rows rows = {{"job", id}, {"name", job.title()}};
    if (!job.member().empty()) {
        rows.emplace_back("member",
                          job.member() + " of campaign " + id_of(job.campaign()).substr(0, 8));
    }
    rows.emplace_back("state", state_text(job.state()));
    rows.emplace_back("sources", counts_text(job));
    std::cout << format_table(rows);
    constexpr std::size_t kShown = 40;
    for (std::size_t i = 0; i < items.size(); ++i) {
        // The stages at the end always; of many sources the first and the failed ones.
        const v1::Item& item = items[i];
        if (i >= kShown && i + 2 < items.size() && item.state() != v1::Item::FAILED) {
            continue;
        }
        std::cout << "  " << shown_on_a_line(item.label()) << "  " << state_text(item.state())
                  << (item.reused() ? " (computed before)" : "")
                  << (item.error().empty() ? "" : ": " + shown_on_a_line(item.error())) << "\n";
    }
    if (items.size() > kShown + 2) {
        std::cout << "  ... " << format_count(static_cast<long long>(items.size()))
                  << " stages in all; --json lists them\n";
    }
    return run::kExitOk;
}

int show_command(const ShowOptions& options, const Context& context) {
    // A name that could be a path is one: jobs are uuids, plain names or "latest".
    const bool path = options.file.find_first_of("./") != std::string::npos;
    if (!path && !std::filesystem::exists(options.file)) {
        return show_job(options, context);
    }
    refuse_no_dataset(options.file, context.program);
    const auto report =
        verb_report<v1::DatasetReport>(context.compute, {"show", "--dataset", options.file});
    const auto tell = [&](const auto& of) {
        if (context.json) {
            print_report(of);
        } else {
            std::cout << of.text();
        }
    };
    if (report.has_inversion()) {
        tell(report.inversion());
    } else if (report.has_waves()) {
        tell(report.waves());
    } else if (context.json) {
        print_report(report);
    } else {
        print_dataset(report);
    }
    return run::kExitOk;
}

}  // namespace

void add_show(Command& app, Context& context) {
    const auto options = std::make_shared<ShowOptions>();
    Command& command = add_command<ShowOptions>(
        app, context, "show", "Say what a dataset or a job holds", options, show_command);
    command.add_options(
        {{"FILE", &options->file,
          "Dataset (greens.h5, inversion.h5, seismograms.h5, rupture.h5), or a job: id, name, "
          "latest",
          kRequired}});
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
