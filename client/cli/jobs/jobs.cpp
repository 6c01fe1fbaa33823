// SPDX-License-Identifier: BSD-3-Clause
// status, watch, list, cancel, retry, delete.
#include <algorithm>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct JobOptions {
    ServiceOptions service;
    std::string job;
};

struct JobsOptions {
    ServiceOptions service;
    std::vector<std::string> jobs;
};

struct JobListOptions {
    ServiceOptions service;
    std::string state;
    int limit = 20;
    bool all = false;
};

Rows job_rows(const v1::Job& job, const ServiceOptions& service, const Context& context) {
    const std::string id = id_of(job.name()).substr(0, 8);
    Rows rows = {{"job", id_of(job.name())},
                 {"name", job.title()},
                 {"state", state_text(job.state())},
                 {"sources", counts_text(job)},
                 {"submitted", time_text(job.created_s()) + " by " + job.owner()}};
    if (!job.member().empty()) {
        rows.emplace_back("member",
                          job.member() + " of campaign " + id_of(job.campaign()).substr(0, 8));
    }
    if (job.ended_s() > 0) {
        rows.emplace_back("took", format_seconds(job.ended_s() - job.created_s()));
    }
    if (job.has_progress()) {
        const v1::JobProgress& progress = job.progress();
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.0f %%", 100 * progress.fraction());
        std::string text = percent;
        if (progress.eta_s() >= 0) {
            text += ", about " + format_seconds(progress.eta_s()) + " to go";
        }
        rows.emplace_back("progress", text);
        rows.emplace_back("now", progress.text().empty()
                                     ? format_count(progress.waiting()) + " stages wait"
                                     : progress.text());
    }
    if (job.has_dataset()) {
        rows.emplace_back("dataset",
                          format_bytes(static_cast<double>(job.dataset().bytes())) +
                              (job.dataset().complete() ? "" : ", lacks failed sources") + "; " +
                              to_type(context, service, "download " + id));
    }
    if (job.counts().failed() > 0 || job.state() == v1::Job::FAILED) {
        rows.emplace_back("why", to_type(context, service, "logs " + id));
    }
    return rows;
}

int status_command(const JobOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::Job job = client->get_job(resolve_job(*client, options.job));
    if (context.json) {
        print_json(job_json(job));
    } else {
        std::cout << format_table(job_rows(job, options.service, context));
    }
    return run::kExitOk;
}

std::string event_text(v1::JobUpdate::Event event) {
    std::string text =
        event == v1::JobUpdate::EVENT_UNSPECIFIED ? "progress" : v1::JobUpdate::Event_Name(event);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

int watch_command(const JobOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    if (!context.json) {
        const v1::Job job = follow_job(*client, id);
        std::cout << format_table(job_rows(job, options.service, context));
        return exit_code_of(job);
    }
    // One object per line, so that a reader can act on each.
    client->watch_job(id, [](const v1::JobUpdate& update) {
        json line = {{"event", event_text(update.event())}};
        if (update.has_item()) {
            line["item"] = json_of(update.item(), kItemFields);
        }
        if (update.has_job()) {
            line["job"] = job_json(update.job());
        }
        std::cout << line.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    });
    return exit_code_of(client->get_job(id));
}

int list_command(const JobListOptions& options, const Context& context) {
    constexpr int kPage = 500;
    if (options.limit < 1) {
        throw Error(ErrorCode::InvalidArgument, "--limit: must be >= 1, got " +
                                                    std::to_string(options.limit) +
                                                    "; --all lists every job");
    }
    const auto client = open_client(options.service);
    const std::string filter = options.state.empty() ? "" : "state = \"" + options.state + '"';
    std::vector<v1::Job> jobs;
    std::string token;
    const auto wanted = static_cast<std::size_t>(options.limit);
    do {
        const int size = options.all
                             ? kPage
                             : std::min<int>(kPage, options.limit - static_cast<int>(jobs.size()));
        const auto page = client->list_jobs(filter, size, token);
        jobs.insert(jobs.end(), page.jobs().begin(), page.jobs().end());
        token = page.next_page_token();
    } while (!token.empty() && (options.all || jobs.size() < wanted));
    if (context.json) {
        json list = json::array();
        for (const v1::Job& job : jobs) {
            list.push_back(job_json(job));
        }
        print_json({{"jobs", list}, {"more", !token.empty()}});
        return run::kExitOk;
    }
    if (jobs.empty()) {
        std::cout << "no jobs\n";
    } else {
        std::cout << "id        state      made              name                     progress\n";
    }
    for (const v1::Job& job : jobs) {
        char line[256];
        std::snprintf(line, sizeof line, "%-8.8s  %-10s %s  %-24.24s ", id_of(job.name()).c_str(),
                      state_text(job.state()).c_str(), time_text(job.created_s()).c_str(),
                      shown_on_a_line(job.title()).c_str());
        std::cout << line << counts_text(job)
                  << (job.member().empty() ? "" : "  " + shown_on_a_line(job.member())) << "\n";
    }
    if (!token.empty()) {
        std::cout << "... more with --limit or --all\n";
    }
    return run::kExitOk;
}

int cancel_command(const JobsOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    json cancelled = json::array();
    for (const std::string& text : options.jobs) {
        const v1::Job job = client->cancel_job(resolve_job(*client, text));
        cancelled.push_back(job_json(job));
        if (!context.json) {
            // A large one: the server goes on with it.
            const bool goes_on = job.state() == v1::Job::ACTIVE;
            std::cout << id_of(job.name()) << ": "
                      << (goes_on ? job.progress().text() + "; the server goes on by itself"
                                  : state_text(job.state()))
                      << ", " << counts_text(job) << "\n";
        }
    }
    if (context.json) {
        print_json({{"jobs", cancelled}});
    }
    return run::kExitOk;
}

int retry_command(const JobOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::Job job = client->retry_job(resolve_job(*client, options.job));
    if (context.json) {
        print_json(job_json(job));
    } else {
        std::cout << id_of(job.name()) << ": " << state_text(job.state()) << ", "
                  << counts_text(job) << "\n";
    }
    return run::kExitOk;
}

int delete_command(const JobOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    client->delete_job(id, client->get_job(id).etag());
    if (context.json) {
        print_json({{"deleted", id}});
    } else {
        std::cout << id << ": deleted\n";
    }
    return run::kExitOk;
}

constexpr const char* kJobHelp = "Id, its first characters, a name, or latest";

Command& add_job_command(Command& app, Context& context, const char* name, const char* what,
                         int (*action)(const JobOptions&, const Context&)) {
    const auto options = std::make_shared<JobOptions>();
    Command& command = add_command<JobOptions>(app, context, name, what, options, action);
    command.add_options({{"JOB", &options->job, kJobHelp, kRequired}});
    add_service_options(command, options->service);
    return command;
}

}  // namespace

void add_jobs(Command& app, Context& context) {
    add_job_command(app, context, "status", "Say how far a job is", status_command);
    add_job_command(app, context, "watch", "Follow a job until it ends", watch_command);
    const auto list = std::make_shared<JobListOptions>();
    Command& listing = add_command<JobListOptions>(app, context, "list", "List jobs, newest first",
                                                   list, list_command);
    listing.add_options({{"--only",
                          &list->state,
                          "active, done, failed or cancelled",
                          {.check = one_of("active|done|failed|cancelled")}},
                         {"--limit", &list->limit, "How many"},
                         {"--all", &list->all, "All of them"}});
    add_service_options(listing, list->service);
    const auto cancel = std::make_shared<JobsOptions>();
    Command& cancelling = add_command<JobsOptions>(
        app, context, "cancel", "End jobs; what other jobs need goes on", cancel, cancel_command);
    cancelling.add_options({{"JOB", &cancel->jobs, kJobHelp, kRequired}});
    add_service_options(cancelling, cancel->service);
    add_job_command(app, context, "retry", "Compute again what failed or was cancelled",
                    retry_command);
    add_job_command(app, context, "delete", "Forget an ended job; its results stay for others",
                    delete_command);
}

}  // namespace kaname::cli
