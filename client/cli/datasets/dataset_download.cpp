// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/datasets/dataset_download.hpp"

#include <cstdio>
#include <iostream>

#include "client/cli/campaigns/campaign_plan.hpp"
#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {

nlohmann::json download_dataset(client::Client& client, const DownloadWish& wish,
                                const Context& context) {
    namespace fs = std::filesystem;
    const v1::Dataset dataset = client.get_dataset(wish.job, wish.partial);
    fs::path path =
        wish.output.empty() ? fs::path(file_name_of(dataset.title(), ".h5")) : wish.output;
    if (fs::is_directory(path) || !path.has_filename()) {  // "out/" is a folder that may be new
        path /= dataset.file().empty() ? "greens.h5" : file_name_of(dataset.file());
    }
    const bool held = holds(path, dataset);
    client::Downloaded done{dataset.bytes(), 0};
    if (!held) {
        const OutputPlace place(
            "--output", path, wish.force,
            same_dataset({dataset.content_hash(), dataset.sources_done()}, context.compute));
        done = fetch_dataset(client, dataset, place);
    }
    if (!context.json) {
        std::cout << path.string() << ": " << format_bytes(static_cast<double>(done.bytes));
        if (dataset.sources() > 0) {
            std::cout << ", " << format_count(dataset.sources_done()) << " of "
                      << counted(dataset.sources(), "source");
        }
        if (held) {
            std::cout << " (already there)";
        }
        if (done.resumed_from > 0) {
            std::cout << " (went on from " << format_bytes(static_cast<double>(done.resumed_from))
                      << ")";
        }
        std::cout << "\n";
    }
    return {{"file", path.string()},
            {"bytes", done.bytes},
            {"resumed_from", done.resumed_from},
            {"already_there", held},
            {"sha256", dataset.sha256()},
            {"complete", dataset.complete()},
            {"sources_done", dataset.sources_done()},
            {"sources", dataset.sources()}};
}

// download.
namespace {

struct DownloadOptions {
    ServiceOptions service;
    std::string job, output;
    bool partial = false, force = false;
};

int download_command(const DownloadOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const nlohmann::json done = download_dataset(
        *client,
        {resolve_job(*client, options.job), options.output, options.partial, options.force},
        context);
    if (context.json) {
        print_json(done);
    }
    return run::kExitOk;
}

}  // namespace

void add_results(Command& app, Context& context) {
    const auto download = std::make_shared<DownloadOptions>();
    Command& command = add_command<DownloadOptions>(
        app, context, "download", "Get a job's dataset; a broken download goes on", download,
        download_command);
    command.add_options(
        {{"JOB", &download->job, "Id, its first characters, a name, or latest", kRequired},
         {"-o,--output", &download->output, "File or folder; default: NAME.h5"},
         {"--partial", &download->partial,
          "Also of a job that has not ended: the sources that are done"},
         {"--force", &download->force, "Replace a file that is not this job's dataset"}});
    add_service_options(command, download->service);
}

namespace {

using nlohmann::json;

void add_condition(std::string& filter, const char* option, const char* field,
                   const std::string& value, const char* sign = "=") {
    if (value.empty()) {
        return;
    }
    if (value.find('"') != std::string::npos) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(option) + ": must have no double quote, got '" + value + "'");
    }
    filter +=
        (filter.empty() ? "" : " AND ") + std::string(field) + ' ' + sign + " \"" + value + '"';
}

std::string joined(const google::protobuf::RepeatedPtrField<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

std::string sources_done_text(const v1::Dataset& dataset) {
    if (dataset.sources() == 0) {
        return "-";
    }
    return dataset.complete()
               ? format_count(dataset.sources())
               : format_count(dataset.sources_done()) + " of " + format_count(dataset.sources());
}

std::string box_text(const v1::GeoBox& box) {
    char text[120];
    std::snprintf(text, sizeof text, "%.2f to %.2f E, %.2f to %.2f N", box.west_deg(),
                  box.east_deg(), box.south_deg(), box.north_deg());
    return text;
}

}  // namespace

v1::ListDatasetsRequest request_of(const DatasetWish& wish, client::Client& client) {
    v1::ListDatasetsRequest request;
    std::string& filter = *request.mutable_filter();
    add_condition(filter, "--name", "name", wish.name);
    add_condition(filter, "--owner", "owner", wish.owner);
    if (!wish.campaign.empty()) {
        add_condition(filter, "--campaign", "campaign",
                      "campaigns/" + resolve_campaign(client, wish.campaign));
    }
    for (const std::string& tag : wish.tags) {
        add_condition(filter, "--tag", "tag", tag);
    }
    add_condition(filter, "--fault", "fault", wish.fault);
    add_condition(filter, "--physics", "physics", wish.physics);
    add_condition(filter, "--structure", "structure", wish.structure);
    for (const std::string& station : wish.stations) {
        add_condition(filter, "--station", "station", station);
    }
    if (wish.complete || wish.partial) {
        add_condition(filter, "--complete", "complete", wish.complete ? "true" : "false");
    }
    if (wish.pinned) {
        add_condition(filter, "--pinned", "pinned", "true");
    }
    add_condition(filter, "--made-after", "made_at", wish.made_after, ">");
    add_condition(filter, "--made-before", "made_at", wish.made_before, "<");
    if (!wish.box.empty()) {
        v1::GeoBox& box = *request.mutable_place();
        box.set_west_deg(wish.box[0]);
        box.set_south_deg(wish.box[1]);
        box.set_east_deg(wish.box[2]);
        box.set_north_deg(wish.box[3]);
    }
    if (!wish.near.empty()) {
        v1::NearPlace& near = *request.mutable_near();
        near.set_lon_deg(wish.near[0]);
        near.set_lat_deg(wish.near[1]);
        near.set_distance_m(1e3 * wish.within_km);
    }
    return request;
}

std::string datasets_table(const std::vector<v1::Dataset>& datasets) {
    std::string text;
    const auto line = [&](const std::string& id, const std::string& name, const std::string& made,
                          const std::string& sources, const std::string& bytes,
                          const std::string& rest) {
        char columns[200];
        std::snprintf(columns, sizeof columns, "%-8.8s  %-24.24s  %-16.16s  %9s  %9s  ", id.c_str(),
                      name.c_str(), made.c_str(), sources.c_str(), bytes.c_str());
        std::string one = shown_on_a_line(columns + rest.substr(0, 24));
        one.erase(one.find_last_not_of(' ') + 1);
        text += one + '\n';
    };
    if (!datasets.empty()) {
        line("id", "name", "made", "sources", "size", "tags");
    }
    for (const v1::Dataset& dataset : datasets) {
        line(id_of(dataset.name()), dataset.title(), time_text(dataset.created_s()),
             sources_done_text(dataset), format_bytes(static_cast<double>(dataset.bytes())),
             (dataset.pinned() ? "(pinned) " : "") + joined(dataset.tags()));
    }
    return text;
}

Rows rows_of(const v1::Dataset& dataset) {
    Rows rows = {
        {"dataset", id_of(dataset.name())}, {"name", dataset.title()}, {"owner", dataset.owner()}};
    const auto add = [&](const char* what, const std::string& value) {
        if (!value.empty()) {
            rows.emplace_back(what, value);
        }
    };
    if (!dataset.campaign().empty()) {
        add("campaign", id_of(dataset.campaign()) + ", " + dataset.member());
    }
    add("physics", dataset.physics());
    add("faults", joined(dataset.faults()));
    add("structure", dataset.structure_sha256());
    if (dataset.has_place()) {
        add("place", box_text(dataset.place()));
    }
    add("stations", format_count(dataset.stations()));
    add("sources", sources_done_text(dataset));
    if (dataset.created_s() > 0) {
        add("made", time_text(dataset.created_s()));
        add("size", format_bytes(static_cast<double>(dataset.bytes())));
        add("sha256", dataset.sha256());
    }
    add("tags", joined(dataset.tags()));
    if (dataset.pinned()) {
        add("pinned", "yes: it is not deleted");
    }
    return rows;
}

json dataset_json(const v1::Dataset& dataset) {
    json object = json_of(dataset,
                          "name@id title=name created_s=made_s campaign@campaign * -job "
                          "-content_hash -file");
    object.emplace("place", nullptr);  // where it has none
    return object;
}

}  // namespace kaname::cli
