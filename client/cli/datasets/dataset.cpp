// SPDX-License-Identifier: BSD-3-Clause
// dataset list, show, download, export, tag, delete, prune.
#include <algorithm>
#include <iostream>
#include <optional>

#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/datasets/dataset_download.hpp"
#include "client/cli/datasets/export.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kHelp = "Id of its job, its first characters, a name, or latest";

struct DatasetListOptions {
    ServiceOptions service;
    DatasetWish wish;
    int limit = 20;
    bool all = false;
};

struct DatasetOptions {
    ServiceOptions service;
    std::vector<std::string> datasets;
    std::string dataset, output;  ///< `dataset` of commands that take one
    std::vector<std::string> words, add, remove;
    bool pin = false, unpin = false, partial = false, force = false, dry_run = false;
};

struct ExportWish {
    ServiceOptions service;
    std::string dataset;
    ExportOptions how;
};

struct PruneOptions {
    ServiceOptions service;
    std::string older_than, keep;
    bool dry_run = false;
};

json list_of(const std::vector<v1::Dataset>& datasets) {
    json list = json::array();
    for (const v1::Dataset& dataset : datasets) {
        list.push_back(dataset_json(dataset));
    }
    return list;
}

v1::Dataset find_dataset(client::Client& client, const std::string& text) {
    return client.get_dataset(resolve_job(client, text), false);
}

int dataset_list_command(const DatasetListOptions& options, const Context& context) {
    constexpr int kPage = 500;
    if (options.wish.near.empty() != (options.wish.within_km == 0.0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "--near: must be given with --within, the distance in km, and that with it");
    }
    const auto client = open_client(options.service);
    v1::ListDatasetsRequest request = request_of(options.wish, *client);
    std::vector<v1::Dataset> found;
    const auto wanted = static_cast<std::size_t>(options.limit);
    do {
        request.set_page_size(
            options.all ? kPage
                        : std::min<int>(kPage, options.limit - static_cast<int>(found.size())));
        const auto page = client->list_datasets(request);
        found.insert(found.end(), page.datasets().begin(), page.datasets().end());
        request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty() && (options.all || found.size() < wanted));
    const bool more = !request.page_token().empty();
    if (context.json) {
        print_json({{"datasets", list_of(found)}, {"more", more}});
        return run::kExitOk;
    }
    std::cout << (found.empty() ? "no datasets\n" : datasets_table(found));
    if (more) {
        std::cout << "... more with --limit or --all\n";
    }
    return run::kExitOk;
}

int dataset_show_command(const DatasetOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::Dataset dataset = find_dataset(*client, options.dataset);
    if (context.json) {
        print_json(dataset_json(dataset));
        return run::kExitOk;
    }
    Rows rows = rows_of(dataset);
    rows.emplace_back("get it", to_type(context, options.service,
                                        "dataset download " + id_of(dataset.name()).substr(0, 8)));
    std::cout << format_table(rows);
    return run::kExitOk;
}

int dataset_download_command(const DatasetOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    std::vector<std::string> ids;
    for (const std::string& text : options.datasets) {
        ids.push_back(resolve_job(*client, text));
    }
    const bool several = ids.size() > 1;
    const fs::path folder = options.output;
    if (several && !folder.empty()) {
        fs::create_directories(folder);
    }
    json files = json::array();
    for (const std::string& id : ids) {
        DownloadWish wish{id, folder, options.partial, options.force};
        if (several) {  // names may be equal, and the file's own name always is
            const std::string title = client->get_job(id).title();
            wish.output = folder / file_name_of(title, '-' + id.substr(0, 8) + ".h5");
        }
        files.push_back(download_dataset(*client, wish, context));
    }
    if (context.json) {
        print_json({{"files", files}});
    }
    return run::kExitOk;
}

int dataset_export_command(const ExportWish& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.dataset);
    const TemporaryFolder folder;
    Context quiet = context;
    quiet.json = true;  // the export says what was written
    const json got =
        download_dataset(*client, {id, folder.path() / "greens.h5", false, true}, quiet);
    ExportOptions how = options.how;
    how.file = got.at("file");
    return export_command(how, context);
}

/// +a and -b among the words of `dataset tag NAME +a -b`; a word without a sign is refused.
void split_words(const std::vector<std::string>& words, v1::UpdateDatasetRequest& request) {
    for (const std::string& word : words) {
        if (word.size() < 2 || (word[0] != '+' && word[0] != '-')) {
            throw Error(ErrorCode::InvalidArgument,
                        "TAG: must be +TAG to add or -TAG to remove it, got \"" + word + '"');
        }
        (word[0] == '+' ? request.add_add_tags(word.substr(1))
                        : request.add_remove_tags(word.substr(1)));
    }
}

int dataset_tag_command(const DatasetOptions& options, const Context& context) {
    v1::UpdateDatasetRequest request;
    split_words(options.words, request);
    for (const std::string& tag : options.add) {
        request.add_add_tags(tag);
    }
    for (const std::string& tag : options.remove) {
        request.add_remove_tags(tag);
    }
    if (options.pin || options.unpin) {
        request.set_pinned(options.pin);
    }
    if (request.add_tags().empty() && request.remove_tags().empty() && !request.has_pinned()) {
        throw Error(ErrorCode::InvalidArgument, "TAG: must be given: +TAG, -TAG, --pin or --unpin");
    }
    const auto client = open_client(options.service);
    request.set_name("datasets/" + resolve_job(*client, options.dataset));
    const v1::Dataset dataset = client->update_dataset(request);
    if (context.json) {
        print_json(dataset_json(dataset));
    } else {
        std::cout << format_table(rows_of(dataset));
    }
    return run::kExitOk;
}

int dataset_delete_command(const DatasetOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    std::vector<v1::Dataset> gone;
    for (const std::string& text : options.datasets) {
        v1::DeleteDatasetRequest request;
        const std::string id = resolve_job(*client, text);
        request.set_name("datasets/" + id);
        request.set_dry_run(options.dry_run);
        gone.push_back(client->delete_dataset(request));
        if (!context.json) {
            std::cout << id << " (" << gone.back().title() << ", "
                      << format_bytes(static_cast<double>(gone.back().bytes()))
                      << (options.dry_run ? "): would be deleted\n" : "): deleted\n") << std::flush;
        }
    }
    if (context.json) {
        print_json({{"dry_run", options.dry_run}, {"datasets", list_of(gone)}});
    }
    return run::kExitOk;
}

int dataset_prune_command(const PruneOptions& options, const Context& context) {
    v1::RetainDatasetsRequest request;
    request.set_dry_run(options.dry_run);
    if (!options.older_than.empty()) {
        request.set_older_than_s(parse_age("--older-than", options.older_than));
    }
    if (!options.keep.empty()) {
        request.set_keep_bytes(parse_bytes("--keep", options.keep));
    }
    if (options.older_than.empty() && options.keep.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--older-than: must be given, or --keep: what is to go?");
    }
    const auto client = open_client(options.service);
    std::vector<v1::Dataset> gone;
    std::int64_t bytes = 0, more = 0;
    while (true) {
        throw_if_interrupted();
        const auto reply = client->retain_datasets(request);
        gone.insert(gone.end(), reply.datasets().begin(), reply.datasets().end());
        bytes += reply.bytes();
        more = reply.more();
        if (options.dry_run || more == 0 || reply.datasets().empty()) {
            break;
        }
        if (!context.json) {
            std::cerr << format_count(static_cast<long long>(gone.size())) << " deleted, "
                      << format_count(more) << " to go\n";
        }
    }
    if (context.json) {
        print_json({{"dry_run", options.dry_run},
                    {"datasets", list_of(gone)},
                    {"bytes", bytes},
                    {"more", more}});
        return run::kExitOk;
    }
    std::cout << datasets_table(gone);
    const auto n = static_cast<long long>(gone.size()) + (options.dry_run ? more : 0);
    std::cout << (options.dry_run ? "would be deleted: " : "deleted: ") << format_count(n)
              << (n == 1 ? " dataset, " : " datasets, ") << format_bytes(static_cast<double>(bytes))
              << "\n";
    return run::kExitOk;
}

void add_filters(Command& command, DatasetWish& wish) {
    command.add_options({
        {"--name", &wish.name, "Name; with * at its end all that begin so"},
        {"--owner", &wish.owner, "Whose"},
        {"--campaign", &wish.campaign, "Members of this campaign"},
        {"--tag", &wish.tags, "With this tag; may be repeated"},
        {"--fault", &wish.fault, "Name of a fault, or plane, interface, mesh, slip_model"},
        {"--physics",
         &wish.physics,
         "elastic, viscoelastic, inversion, waves or rupture",
         {.check = one_of("elastic|viscoelastic|inversion|waves|rupture")}},
        {"--structure", &wish.structure, "SHA-256 that show tells: of one Earth model"},
        {"--station", &wish.stations, "With this station; may be repeated"},
        {"--complete", &wish.complete, "With all sources"},
        {"--partial", &wish.partial, "With sources missing", {.excludes = "--complete"}},
        {"--pinned", &wish.pinned, "Pinned ones"},
        {"--made-after", &wish.made_after, "2026-01-31 or 2026-01-31T12:00:00Z"},
        {"--made-before", &wish.made_before, "Likewise"},
        {"--box",
         &wish.box,
         "W,S,E,N in degrees: sources and stations reach into it",
         {.delimiter = ',', .values = {4, 4}}},
        {"--near",
         &wish.near,
         "LON,LAT: of sources and stations, with --within",
         {.delimiter = ',', .values = {2, 2}}},
        {"--within", &wish.within_km, "Kilometres along a great circle", {.check = kPositive}},
    });
}

Command& add_one(Command& group, Context& context, const char* name, const char* what,
                 int (*action)(const DatasetOptions&, const Context&),
                 const std::shared_ptr<DatasetOptions>& options, int most) {
    Command& command = add_command<DatasetOptions>(group, context, name, what, options, action);
    if (most == 1) {
        command.add_options({{"DATASET", &options->dataset, kHelp, kRequired}});
    } else {
        command.add_options({
            {"DATASET", &options->datasets, kHelp, {.required = true, .values = {1, most}}},
        });
    }
    add_service_options(command, options->service);
    return command;
}

}  // namespace

void add_dataset(Command& app, Context& context) {
    Command& group =
        app.add_command("dataset", "Find datasets on a server, tag, get and delete them");
    group.needs_command = true;
    const auto list = std::make_shared<DatasetListOptions>();
    Command& listing = add_command<DatasetListOptions>(
        group, context, "list", "List datasets, newest first", list, dataset_list_command);
    add_filters(listing, list->wish);
    listing.add_options({{"--limit", &list->limit, "How many", {.check = between(1, 100000)}},
                         {"--all", &list->all, "All of them"}});
    add_service_options(listing, list->service);

    constexpr int kMany = 10000;
    const auto options = [] { return std::make_shared<DatasetOptions>(); };
    add_one(group, context, "show", "Say what a dataset is", dataset_show_command, options(), 1);
    auto given = options();
    add_one(group, context, "download", "Get datasets; a broken download goes on",
            dataset_download_command, given, kMany)
        .add_options({{"-o,--output", &given->output, "Folder, of one dataset also a file"},
                      {"--partial", &given->partial,
                       "Also of a job that has not ended: the sources that are done"},
                      {"--force", &given->force, "Replace files that are not these datasets"}});

    const auto wish = std::make_shared<ExportWish>();
    Command& exporting = add_command<ExportWish>(group, context, "export",
                                                 "Get a dataset and write it for an inversion code",
                                                 wish, dataset_export_command);
    exporting.add_options({{"DATASET", &wish->dataset, kHelp, kRequired}});
    add_export_options(exporting, wish->how);
    add_service_options(exporting, wish->service);

    given = options();
    add_one(group, context, "tag", "Tag and pin a dataset: +TAG adds, -TAG removes",
            dataset_tag_command, given, 1)
        .add_options({
            {"TAG", &given->words, "+TAG or, after --, -TAG"},
            {"--add", &given->add, "Tags to add"},
            {"--remove", &given->remove, "Tags to remove"},
            {"--pin", &given->pin, "Keep it until it is unpinned"},
            {"--unpin", &given->unpin, "It may be deleted", {.excludes = "--pin"}},
        });

    given = options();
    add_one(group, context, "delete", "Delete datasets with their jobs; what other jobs need stays",
            dataset_delete_command, given, kMany)
        .add_options({{"--dry-run", &given->dry_run, "Only say what would go"}});

    const auto prune = std::make_shared<PruneOptions>();
    Command& pruning = add_command<PruneOptions>(
        group, context, "prune",
        "Delete the oldest datasets that no pin, live job or campaign needs", prune,
        dataset_prune_command);
    pruning.add_options({{"--older-than", &prune->older_than, "Those made longer ago: 90d, 12h"},
                         {"--keep", &prune->keep, "The oldest until the rest is no more: 500GB"},
                         {"--dry-run", &prune->dry_run, "Only say what would go"}});
    add_service_options(pruning, prune->service);
}

}  // namespace kaname::cli
