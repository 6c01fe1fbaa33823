// SPDX-License-Identifier: BSD-3-Clause
// worker list, drain, undrain, cordon, uncordon.
#include <cmath>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr const char* kGpuPrefix = "GPU-";  // of NVIDIA's UUIDs

struct WorkerOptions {
    ServiceOptions service;
    std::string worker, host, gpu, reason;
};

/// "GPU-8e1f... NVIDIA H200: 73 % busy, 10.0 of 150 GB, 413 W, 64 C"; what is unknown is left out.
std::string gpu_line(const v1::GpuStatus& gpu) {
    std::string line = gpu.uuid() + (gpu.name().empty() ? "" : " " + gpu.name());
    const char* separator = ": ";
    const auto add = [&](bool known, const std::string& text) {
        if (known) {
            line += separator + text;
            separator = ", ";
        }
    };
    const auto rounded = [](double value) { return std::to_string(std::lround(value)); };
    add(gpu.has_utilisation_ratio(), rounded(100.0 * gpu.utilisation_ratio()) + " % busy");
    add(gpu.has_memory_used_bytes(),
        format_bytes(static_cast<double>(gpu.memory_used_bytes())) + " of " +
            format_bytes(static_cast<double>(gpu.memory_total_bytes())));
    add(gpu.has_power_w(), rounded(gpu.power_w()) + " W");
    add(gpu.has_temperature_c(), rounded(gpu.temperature_c()) + " C");
    // Zeros are what one expects; they stand in the JSON.
    add(gpu.xid_errors() > 0, "XID errors: " + std::to_string(gpu.xid_errors()));
    add(gpu.ecc_uncorrected() > 0,
        "uncorrected ECC errors: " + std::to_string(gpu.ecc_uncorrected()));
    add(gpu.remapped_rows().failed(), "a memory row could not be remapped");
    return line;
}

std::string drain_text(const v1::Drain& drain) {
    return shown_on_a_line(drain.has_host() ? "host " + drain.host() : "GPU " + drain.gpu_uuid());
}

std::string cordon_text(const v1::Cordon& cordon) {
    return shown_on_a_line(cordon.has_host()     ? "host " + cordon.host()
                           : cordon.has_worker() ? "worker " + id_of(cordon.worker())
                                                 : "GPU " + cordon.gpu_uuid());
}

/// " by ann since 2026-01-31 23:59: broken fan"; what is not known is left out.
std::string why_text(const std::string& by, double since_s, const std::string& reason) {
    return (by.empty() ? "" : " by " + by) + (since_s > 0 ? " since " + time_text(since_s) : "") +
           (reason.empty() ? "" : ": " + reason);
}

json drain_json(const v1::Drain& drain) {
    json object = json_of(drain, "reason since_s by");
    object["what"] = drain_text(drain);
    return object;
}

json cordon_json(const v1::Cordon& cordon) {
    json object = json_of(cordon, "reason since_s by");
    object["what"] = cordon_text(cordon);
    return object;
}

/// "slurm     17 of pool gpu: submitted (Priority)"; those that work are workers, and those that
/// ended well are of no interest.
void print_dispatches(const std::vector<v1::Dispatch>& dispatches) {
    for (const v1::Dispatch& dispatch : dispatches) {
        const bool ended_well =
            dispatch.state() == "ended" &&
            (dispatch.reason().empty() || dispatch.reason().starts_with("COMPLETED"));
        if (dispatch.state() == "running" || ended_well) {
            continue;
        }
        std::cout << "slurm     "
                  << (dispatch.native_id().empty() ? "job without a number"
                                                   : "job " + dispatch.native_id())
                  << " of pool " << dispatch.pool() << ": " << dispatch.state()
                  << (dispatch.reason().empty() ? ""
                                                : " (" + shown_on_a_line(dispatch.reason()) + ")")
                  << "\n";
    }
}

int worker_list_command(const WorkerOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const auto workers = client->list_workers();
    if (context.json) {
        json list = json::array();
        for (const v1::Worker& worker : workers) {
            list.push_back(json_of(worker, kWorkerFields));
        }
        json drains = json::array(), cordons = json::array(), why = json::array();
        for (const v1::Drain& drain : client->list_drains()) {
            drains.push_back(drain_text(drain));
            why.push_back(drain_json(drain));
        }
        for (const v1::Cordon& cordon : client->list_cordons()) {
            cordons.push_back(cordon_json(cordon));
        }
        json dispatches = json::array();
        for (const v1::Dispatch& dispatch : client->list_dispatches()) {
            dispatches.push_back(json_of(dispatch));
        }
        print_json({{"workers", list},
                    {"drains", drains},
                    {"drain_reasons", why},
                    {"cordons", cordons},
                    {"dispatches", dispatches}});
        return run::kExitOk;
    }
    for (const v1::Drain& drain : client->list_drains()) {
        std::cout << drain_text(drain) << " is drained"
                  << why_text(drain.by(), drain.since_s(), drain.reason()) << "\n";
    }
    for (const v1::Cordon& cordon : client->list_cordons()) {
        std::cout << cordon_text(cordon) << " is cordoned"
                  << why_text(cordon.by(), cordon.since_s(), cordon.reason()) << "\n";
    }
    const std::vector<v1::Dispatch> dispatches = client->list_dispatches();
    if (workers.empty()) {
        std::cout << (dispatches.empty() ? "no workers: one is started when there is work\n"
                                         : "no workers; of their jobs in the batch system:\n");
    }
    print_dispatches(dispatches);
    for (const v1::Worker& worker : workers) {
        std::cout << id_of(worker.name()).substr(0, 8) << "  " << state_text(worker.state()) << "  "
                  << shown_on_a_line(worker.title() + " on " + worker.host()) << ", "
                  << worker.ranks() << " x " << worker.threads() << " threads, heard of "
                  << format_seconds(worker.heartbeat_age_s()) << " ago"
                  << (worker.text().empty() ? "" : "; " + shown_on_a_line(worker.text())) << "\n";
        for (const v1::GpuStatus& gpu : worker.gpus()) {
            std::cout << "          " << shown_on_a_line(gpu_line(gpu)) << "\n";
        }
        if (!worker.reason().empty()) {
            std::cout << "          " << shown_on_a_line(worker.reason()) << "\n";
        }
    }
    return run::kExitOk;
}

/// A live worker by its id, the beginning of one, or its title.
std::string worker_named(client::Client& client, const std::string& text) {
    std::string id;
    for (const v1::Worker& worker : client.list_workers()) {
        const bool here = worker.state() != v1::Worker::LOST && worker.state() != v1::Worker::LEFT;
        if (!here || (!id_of(worker.name()).starts_with(text) && worker.title() != text)) {
            continue;
        }
        if (!id.empty()) {
            throw Error(ErrorCode::InvalidArgument, '"' + text + "\" names several workers, " + id +
                                                        " and " + id_of(worker.name()) +
                                                        " among them");
        }
        id = id_of(worker.name());
    }
    if (id.empty()) {
        throw Error(ErrorCode::NotFound, "no worker \"" + text + '"');
    }
    return id;
}

int change_drain(const WorkerOptions& options, const Context& context, bool release) {
    const auto client = open_client(options.service);
    if (options.worker.empty()) {
        v1::Drain drain;
        if (!options.host.empty()) {
            drain.set_host(options.host);
        } else {
            drain.set_gpu_uuid(options.gpu);
        }
        drain.set_reason(options.reason);
        client->set_drain(drain, release);
        if (context.json) {
            print_json({{release ? "undrained" : "drained", drain_text(drain)}});
        } else {
            std::cout << drain_text(drain)
                      << (release
                              ? ": works again\n"
                              : ": its workers finish what they hold and leave; none is started "
                                "there until worker undrain\n");
        }
        return run::kExitOk;
    }
    const std::string id = worker_named(*client, options.worker);
    const v1::Worker worker = client->drain_worker(id, release, options.reason);
    if (context.json) {
        print_json(json_of(worker, kWorkerFields));
    } else {
        std::cout << id
                  << (release ? ": works again unless it is leaving already\n"
                              : ": finishes what it holds and leaves\n");
    }
    return run::kExitOk;
}

int worker_drain_command(const WorkerOptions& options, const Context& context) {
    return change_drain(options, context, false);
}

int worker_undrain_command(const WorkerOptions& options, const Context& context) {
    return change_drain(options, context, true);
}

int change_cordon(const WorkerOptions& options, const Context& context, bool release) {
    const auto client = open_client(options.service);
    v1::Cordon cordon;
    cordon.set_reason(options.reason);
    if (!options.host.empty()) {
        cordon.set_host(options.host);
    } else if (!options.gpu.empty()) {
        cordon.set_gpu_uuid(options.gpu);
    } else if (options.worker.starts_with(kGpuPrefix)) {  // also without its option
        cordon.set_gpu_uuid(options.worker);
    } else {
        cordon.set_worker("workers/" + worker_named(*client, options.worker));
    }
    client->set_cordon(cordon, release);
    const std::string what = cordon_text(cordon);
    if (context.json) {
        print_json({{release ? "uncordoned" : "cordoned",
                     cordon.has_gpu_uuid() ? cordon.gpu_uuid() : what}});
    } else {
        std::cout << what
                  << (release ? ": works again\n"
                              : ": takes nothing new, until worker uncordon; what runs goes on\n");
    }
    return run::kExitOk;
}

int worker_cordon_command(const WorkerOptions& options, const Context& context) {
    return change_cordon(options, context, false);
}

int worker_uncordon_command(const WorkerOptions& options, const Context& context) {
    return change_cordon(options, context, true);
}

void add_reason(Command& command, WorkerOptions& options) {
    command.add_options({{"--reason", &options.reason, "Why, for whoever looks at the list"}});
}

void add_what(Command& command, WorkerOptions& options) {
    command.add_exactly_one_of(
        "what", {
                    {"WORKER", &options.worker, "One worker: its name, its id or how that begins"},
                    {"--host", &options.host, "All of a machine, also those that come later"},
                    {"--gpu", &options.gpu, "All that have this GPU (UUID), likewise"},
                });
    add_service_options(command, options.service);
}

/// A command that takes WORKER, --host or --gpu.
Command& add_change(Command& worker, Context& context, const char* name, const char* what,
                    const std::shared_ptr<WorkerOptions>& options,
                    int (*action)(const WorkerOptions&, const Context&)) {
    Command& command = add_command<WorkerOptions>(worker, context, name, what, options, action);
    add_what(command, *options);
    return command;
}

}  // namespace

void add_worker(Command& app, Context& context) {
    Command& worker = app.add_command("worker", "See, drain and cordon workers");
    worker.needs_command = true;
    const auto list = std::make_shared<WorkerOptions>();
    add_service_options(add_command<WorkerOptions>(worker, context, "list", "List workers", list,
                                                   worker_list_command),
                        list->service);
    const auto drain = std::make_shared<WorkerOptions>();
    add_reason(add_change(worker, context, "drain", "Let workers finish and leave", drain,
                          worker_drain_command),
               *drain);
    add_change(worker, context, "undrain", "Let what was drained work again",
               std::make_shared<WorkerOptions>(), worker_undrain_command);
    const auto cordon = std::make_shared<WorkerOptions>();
    add_reason(add_change(worker, context, "cordon", "Let workers stay, and take nothing new",
                          cordon, worker_cordon_command),
               *cordon);
    add_change(worker, context, "uncordon",
               "Put back to work what was cordoned, by somebody or by a GPU's faults",
               std::make_shared<WorkerOptions>(), worker_uncordon_command);
}

}  // namespace kaname::cli
