// SPDX-License-Identifier: BSD-3-Clause
// download.
#include "client/cli/commands.hpp"
#include "client/cli/dataset_download.hpp"
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

}  // namespace kaname::cli
