// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/request.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct SubmitOptions {
    ServiceOptions service;
    std::string file, output, request_id;
    bool wait = false, force = false;
    int priority = 0;
};

/// Uploads the files that the request names and leaves their hashes and bare names in it.
void upload_files(client::Client& client, google::protobuf::Message& specification) {
    ProgressView view(std::cerr, terminal_columns());
    std::map<std::string, std::string> paths;
    request::for_each_file(specification, [&](v1::File& file, const std::string&) {
        paths[file.sha256()] = file.path();
        file.set_path(fs::path(file.path()).filename().string());
    });
    for (const auto& [sha256, path] : paths) {
        client.upload(path, sha256, [&](std::int64_t done, std::int64_t total) {
            const double fraction =
                total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
            view.show({"upload", fraction, std::nullopt, fs::path(path).filename().string()});
        });
    }
}

std::string reused_sources(const v1::Job& job) {
    return job.counts().sources() > 0 ? " (" + counted(job.counts().reused(), "source") + ")" : "";
}

/// Describes the outcome of the request in one sentence.
std::string outcome_sentence(const v1::Job& job) {
    const v1::SubmitReport& report = job.report();
    if (report.replayed()) {
        return "this request was submitted before; nothing is queued twice";
    }
    const std::int64_t all = report.created() + report.joined() + report.reused();
    if (report.reused() == all) {
        return "everything was computed before: all " + counted(all, "stage") + " are reused" +
               reused_sources(job);
    }
    std::string text =
        format_count(report.created()) + " of " + counted(all, "stage") + " to compute";
    if (report.reused() > 0) {
        text += ", " + format_count(report.reused()) + " reused" + reused_sources(job);
    }
    if (report.joined() > 0) {
        text += ", " + format_count(report.joined()) + " under way for another job";
    }
    return text;
}

void print_submitted(const v1::Job& job) {
    const v1::Estimate& estimate = job.report().estimate();
    std::cerr << "job " << id_of(job.name()) << ": " << outcome_sentence(job) << "\n";
    if (estimate.total_s() > 0.0) {
        std::cerr << counted(estimate.sources(), "source") << ", "
                  << counted(estimate.dof(), "unknown")
                  << (estimate.steps() > 0 ? ", " + counted(estimate.steps(), "step") : "")
                  << "; a solve needs about " << format_bytes(estimate.solve_bytes()) << "\n"
                  << "time to compute what is left, once a machine is idle: "
                  << time_text(estimate.total_s(), estimate.low_s(), estimate.high_s()) << "\n";
    }
    for (const std::string& warning : job.report().warnings()) {
        std::cerr << "warning: " << warning << "\n";
    }
}

/// Where the result of a request goes; a dataset's, for one that holds `sources_done` sources.
OutputPlace place_of_result(const SubmitOptions& options, const request::Request& request,
                            long long sources_done, const Context& context) {
    const fs::path folder = options.output.empty() ? file_name_of(request.name()) : options.output;
    const request::Kind& kind = request::built_in_kinds().of(request.message());
    return OutputPlace(
        "--output", folder / kind.result_file(), options.force,
        same_dataset({kind.content_hash(request.message()), sources_done}, context.compute));
}

int wait_and_fetch(client::Client& client, const SubmitOptions& options,
                   const request::Request& request, const v1::Job& submitted,
                   const Context& context) {
    const std::string id = id_of(submitted.name());
    v1::Job job;
    try {
        job = follow_job(client, id);
    } catch (const Interrupted&) {
        const auto typed = [&](const std::string& verb) {
            return to_type(context, options.service, verb + " " + id.substr(0, 8));
        };
        std::cerr << "\njob " << id << " goes on; `" << typed("watch") << "` shows it, `"
                  << typed("cancel") << "` ends it\n";
        throw;
    }
    json report = job_json(job);
    report["report"] = submit_json(submitted.report());
    fs::path dataset;
    if (job.has_dataset()) {
        // Checked again: minutes have gone by, and failed sources make less than was there before.
        const OutputPlace place =
            place_of_result(options, request, job.dataset().sources_done(), context);
        dataset = place.path();
        if (!holds(dataset, job.dataset())) {
            (void)fetch_dataset(client, job.dataset(), place);
        }
        report["output"] = dataset.string();
    }
    if (context.json) {
        print_json(report);
    } else {
        Rows rows = {
            {"job", id + " (" + state_text(job.state()) + ")"},
            {"sources", counts_text(job)},
            {"time", format_seconds(job.ended_s() - job.created_s()) + " from submit to the end"}};
        if (job.has_dataset()) {
            rows.insert(rows.begin(), {"dataset", dataset.string()});
        }
        if (job.state() == v1::Job::FAILED) {
            rows.push_back({"why", to_type(context, options.service, "logs " + id.substr(0, 8))});
        }
        std::cout << format_table(rows);
    }
    return exit_code_of(job);
}

int submit_command(const SubmitOptions& options, const Context& context) {
    if (!options.wait && !options.output.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--output: must be given with --wait only, got '" + options.output +
                        "'; without it the dataset is fetched later: kaname download JOB --output "
                        "FILE");
    }
    const auto wanted = request::built_in_kinds().load(options.file);
    if (!wanted->chosen().empty()) {
        std::cerr << wanted->chosen() << "\n";
    }
    std::optional<OutputPlace> place;
    if (options.wait) {
        place = place_of_result(options, *wanted,
                                static_cast<long long>(wanted->graph().n_sources()), context);
    }
    const auto client = open_client(options.service);
    const std::unique_ptr<google::protobuf::Message> sent(wanted->message().New());
    sent->CopyFrom(wanted->message());
    upload_files(*client, *sent);
    const std::string request = options.request_id.empty() ? make_uuid() : options.request_id;
    const v1::Job job = client->submit(*sent, request, options.priority, false);
    print_submitted(job);
    if (place) {
        if (const double lacking = place->lacks_bytes(job.report().estimate().dataset_bytes());
            lacking > 0.0) {
            std::cerr << "warning: --output: the file system of '" << place->path().string()
                      << "' lacks " << format_bytes(lacking) << " for the dataset\n";
        }
        return wait_and_fetch(*client, options, *wanted, job, context);
    }
    if (context.json) {
        print_json(job_json(job));
    } else {
        std::cout << id_of(job.name()) << "\n";
    }
    return run::kExitOk;
}

}  // namespace

void add_submit(Command& app, Context& context) {
    const auto options = std::make_shared<SubmitOptions>();
    Command& command = add_command<SubmitOptions>(
        app, context, "submit", "Hand a request to the server", options, submit_command);
    command.add_options(
        {{"FILE", &options->file, "Request (YAML)", kRequired},
         {"--wait", &options->wait, "Watch it, then download the dataset"},
         {"-o,--output", &options->output,
          "With --wait: folder for greens.h5 or inversion.h5; default: the job's "
          "name"},
         {"--force", &options->force, "With --wait: replace a file that is not this job's dataset"},
         {"--priority",
          &options->priority,
          "-100..100, higher runs first",
          {.check = between(-100, 100)}},
         {"--request-id", &options->request_id,
          "UUID of this wish: repeating the command with it queues nothing twice"}});
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
