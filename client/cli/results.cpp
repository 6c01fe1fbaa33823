// SPDX-License-Identifier: BSD-3-Clause
// download.
#include <filesystem>
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/dataset_identity.hpp"
#include "client/cli/follow.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

struct DownloadOptions {
    ServiceOptions service;
    std::string job, output;
    bool partial = false, force = false;
};

int download_command(const DownloadOptions& options, const Context& context) {
    namespace fs = std::filesystem;
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    const v1::Dataset dataset = client->get_dataset(id, options.partial);
    fs::path path = options.output.empty() ? dataset.title() + ".h5" : options.output;
    if (fs::is_directory(path)) {
        path /= dataset.file().empty() ? "greens.h5" : dataset.file();
    }
    const bool held = holds(path, dataset);
    client::Downloaded done{dataset.bytes(), 0};
    if (!held) {
        const OutputPlace place(
            "--output", path, options.force,
            same_dataset({dataset.content_hash(), dataset.sources_done()}, context.compute));
        done = fetch_dataset(*client, dataset, place);
    }
    if (context.json) {
        print_json({{"file", path.string()},
                    {"bytes", done.bytes},
                    {"resumed_from", done.resumed_from},
                    {"already_there", held},
                    {"sha256", dataset.sha256()},
                    {"complete", dataset.complete()},
                    {"sources_done", dataset.sources_done()},
                    {"sources", dataset.sources()}});
        return run::kExitOk;
    }
    std::cout << path.string() << ": " << format_bytes(static_cast<double>(done.bytes));
    if (dataset.sources() > 0) {
        std::cout << ", " << format_count(dataset.sources_done()) << " of "
                  << format_count(dataset.sources()) << " sources";
    }
    if (held) {
        std::cout << " (already there)";
    }
    if (done.resumed_from > 0) {
        std::cout << " (went on from " << format_bytes(static_cast<double>(done.resumed_from))
                  << ")";
    }
    std::cout << "\n";
    return run::kExitOk;
}

}  // namespace

void add_results(CLI::App& app, Context& context) {
    const auto download = std::make_shared<DownloadOptions>();
    CLI::App* command = add_command<DownloadOptions>(
        app, context, "download", "Get a job's dataset; a broken download goes on", download,
        download_command);
    command->add_option("JOB", download->job, "Id, its first characters, a name, or latest")
        ->required();
    command->add_option("--output", download->output, "File or folder; default: NAME.h5");
    command->add_flag("--partial", download->partial,
                      "Also of a job that has not ended: the sources that are done");
    command->add_flag("--force", download->force, "Replace a file that is not this job's dataset");
    add_service_options(*command, download->service);
}

}  // namespace kaname::cli
