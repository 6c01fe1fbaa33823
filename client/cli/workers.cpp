// SPDX-License-Identifier: BSD-3-Clause
// worker list, worker drain.
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "solvers/base/error.hpp"
#include "worker/channel/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct WorkerOptions {
    ServiceOptions service;
    std::string worker;
};

int list_command(const WorkerOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const auto workers = client->list_workers();
    if (context.json) {
        json list = json::array();
        for (const v1::Worker& worker : workers) {
            list.push_back(to_json(worker));
        }
        print_json({{"workers", list}});
        return channel::kExitOk;
    }
    if (workers.empty()) {
        std::cout << "no workers: one is started when there is work\n";
    }
    for (const v1::Worker& worker : workers) {
        const json w = to_json(worker);
        std::cout << id_of(worker.name()).substr(0, 8) << "  " << w["state"].get<std::string>()
                  << "  " << worker.title() << " on " << worker.host() << ", " << worker.ranks()
                  << " x " << worker.threads() << " threads, heard of "
                  << format_seconds(worker.heartbeat_age_s()) << " ago"
                  << (worker.text().empty() ? "" : "; " + worker.text()) << "\n";
    }
    return channel::kExitOk;
}

int drain_command(const WorkerOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    std::string id;
    for (const v1::Worker& worker : client->list_workers()) {
        if (id_of(worker.name()).starts_with(options.worker)) {
            id = id_of(worker.name());
        }
    }
    if (id.empty()) {
        throw Error(ErrorCode::NotFound, "no worker \"" + options.worker + '"');
    }
    const v1::Worker worker = client->drain_worker(id);
    if (context.json) {
        print_json(to_json(worker));
    } else {
        std::cout << id << ": finishes what it holds and leaves\n";
    }
    return channel::kExitOk;
}

}  // namespace

void add_worker(CLI::App& app, Context& context) {
    CLI::App* worker = app.add_subcommand("worker", "See and drain workers");
    worker->require_subcommand(1);
    const auto list = std::make_shared<WorkerOptions>();
    add_service_options(
        *add_command<WorkerOptions>(*worker, context, "list", "List workers", list, list_command),
        list->service);
    const auto drain = std::make_shared<WorkerOptions>();
    CLI::App* command = add_command<WorkerOptions>(
        *worker, context, "drain", "Let a worker finish and leave", drain, drain_command);
    command->add_option("WORKER", drain->worker, "Id or its first characters")->required();
    add_service_options(*command, drain->service);
}

}  // namespace kaname::cli
