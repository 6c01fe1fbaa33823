// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/campaigns/campaign.hpp"

#include <iostream>
#include <optional>

#include "client/cli/campaigns/campaign_plan.hpp"
#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

// campaign status, watch, pause, resume, cancel, retry, show, list, limits, delete, download.
namespace kaname::cli {
namespace {

using nlohmann::json;

struct CampaignOptions {
    ServiceOptions service;
    std::string campaign, only, output;
    std::optional<std::int64_t> tasks_at_once;
    std::optional<double> hours, bytes;
    int limit = 20;
    bool jobs = false;
};

void print_campaign(const v1::Campaign& campaign, const Context& context) {
    if (context.json) {
        print_json(campaign_json(campaign));
    } else {
        std::cout << format_table(rows_of(campaign));
    }
}

run::Progress campaign_progress(const v1::Campaign& campaign) {
    const v1::CampaignCounts& members = campaign.members();
    const auto ended = members.total() - members.waiting() - members.active();
    run::Progress line;
    line.stage = campaign.state() == v1::Campaign::PAUSED ? "paused" : "campaign";
    // Sources tell more than members, once all members have their jobs.
    const bool fine = members.waiting() == 0 && campaign.sources().sources() > 0;
    const auto done = fine ? campaign.sources().done() + campaign.sources().failed() : ended;
    const auto all = fine ? campaign.sources().sources() : members.total();
    line.fraction = all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0.0;
    line.text = counts_text(members);
    if (!campaign.reason().empty()) {
        line.text += "; " + campaign.reason();
    }
    return line;
}

v1::Campaign follow_campaign(client::Client& client, const std::string& id) {
    ProgressView view(std::cerr, terminal_columns());
    client.watch_campaign(
        id, [&](const v1::Campaign& campaign) { view.show(campaign_progress(campaign)); });
    view.end_line();
    return client.get_campaign(id);
}

int campaign_status_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::Campaign campaign = client->get_campaign(resolve_campaign(*client, options.campaign));
    print_campaign(campaign, context);
    if (!context.json && campaign.members().failed() + campaign.members().refused() > 0) {
        std::cout << "why: "
                  << to_type(
                         context, options.service,
                         "campaign show " + id_of(campaign.name()).substr(0, 8) + " --only failed")
                  << "\n";
    }
    return run::kExitOk;
}

int campaign_watch_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_campaign(*client, options.campaign);
    if (!context.json) {
        const v1::Campaign campaign = follow_campaign(*client, id);
        std::cout << format_table(rows_of(campaign));
        return exit_code_of(campaign);
    }
    client->watch_campaign(id, [](const v1::Campaign& campaign) {
        std::cout << campaign_json(campaign).dump(-1, ' ', false, json::error_handler_t::replace)
                  << std::endl;
    });
    return exit_code_of(client->get_campaign(id));
}

template <v1::Campaign (client::Client::*change)(const std::string&)>
int campaign_change_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    print_campaign(((*client).*change)(resolve_campaign(*client, options.campaign)), context);
    return run::kExitOk;
}

int campaign_limits_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_campaign(*client, options.campaign);
    v1::Campaign campaign = client->get_campaign(id);
    v1::CampaignLimits limits = campaign.limits();
    limits.set_tasks_at_once(options.tasks_at_once.value_or(limits.tasks_at_once()));
    limits.set_hours(options.hours.value_or(limits.hours()));
    limits.set_bytes(options.bytes.value_or(limits.bytes()));
    if (options.tasks_at_once || options.hours || options.bytes) {
        campaign = client->set_campaign_limits(id, limits);
    }
    if (context.json) {
        print_json(campaign_json(campaign));
        return run::kExitOk;
    }
    const auto text = [](double limit, const std::string& shown) {
        return limit > 0.0 ? shown : std::string("none");
    };
    const v1::CampaignLimits& now = campaign.limits();
    std::cout << format_table({{"tasks at once", text(static_cast<double>(now.tasks_at_once()),
                                                      format_count(now.tasks_at_once()))},
                               {"core-hours", text(now.hours(), format_number(now.hours()))},
                               {"datasets", text(now.bytes(), format_bytes(now.bytes()))}});
    return run::kExitOk;
}

int campaign_show_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_campaign(*client, options.campaign);
    const v1::Campaign campaign = client->get_campaign(id);
    const auto members =
        client->list_members(id, options.only.empty() ? "" : "state = \"" + options.only + '"');
    if (context.json) {
        json object = campaign_json(campaign);
        json list = json::array();
        for (const v1::CampaignMember& member : members) {
            list.push_back(member_json(member));
        }
        object["list"] = list;
        print_json(object);
        return run::kExitOk;
    }
    std::cout << format_table(rows_of(campaign)) << format_table(rows_of(campaign.cost())) << "\n";
    Rows rows;
    for (const v1::CampaignMember& member : members) {
        std::string text = state_text(member.state());
        if (member.counts().sources() > 0) {
            text += ", " + format_count(member.counts().done()) + " of " +
                    counted(member.counts().sources(), "source");
        }
        text += member.job().empty() ? "" : ", job " + id_of(member.job()).substr(0, 8);
        text += member.error().empty() ? "" : ": " + member.error();
        rows.emplace_back(member.label(), text);
    }
    std::cout << format_table(rows);
    return run::kExitOk;
}

int campaign_list_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const auto found = client->list_campaigns(
        options.only.empty() ? "" : "state = \"" + options.only + '"', options.limit, "");
    if (context.json) {
        json list = json::array();
        for (const v1::Campaign& campaign : found.campaigns()) {
            list.push_back(campaign_json(campaign));
        }
        print_json({{"campaigns", list}, {"more", !found.next_page_token().empty()}});
        return run::kExitOk;
    }
    if (found.campaigns().empty()) {
        std::cout << "no campaigns\n";
    }
    for (const v1::Campaign& campaign : found.campaigns()) {
        char line[128];
        std::snprintf(line, sizeof line, "%-8.8s  %-10s %s  %-24.24s ",
                      id_of(campaign.name()).c_str(), state_text(campaign.state()).c_str(),
                      time_text(campaign.created_s()).c_str(),
                      shown_on_a_line(campaign.title()).c_str());
        std::cout << line << counts_text(campaign.members()) << "\n";
    }
    if (!found.next_page_token().empty()) {
        std::cout << "... more with --limit\n";
    }
    return run::kExitOk;
}

int campaign_delete_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_campaign(*client, options.campaign);
    client->delete_campaign(id, client->get_campaign(id).etag(), options.jobs);
    // A large campaign is still there, without those of its jobs that are deleted already.
    bool goes_on = false;
    try {
        goes_on = options.jobs && !client->get_campaign(id).reason().empty();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::NotFound) {
            throw;
        }
    }
    if (context.json) {
        print_json({{"deleted", id}, {"jobs", options.jobs}, {"goes_on", goes_on}});
    } else {
        std::cout << id << (goes_on ? ": being deleted: the server goes on by itself" : ": deleted")
                  << (options.jobs ? ", with its jobs" : "") << "\n";
    }
    return run::kExitOk;
}

json downloaded_json(const CampaignFiles& files, const std::string& folder) {
    return {{"folder", folder},
            {"index", files.index.file()},
            {"fetched", files.fetched},
            {"already_there", files.there},
            {"missing", files.missing},
            {"bytes", files.bytes},
            {"greens", files.index.greens()},
            {"why", files.index.why()}};
}

std::string downloaded_text(const CampaignFiles& files) {
    std::string text = files.index.file() + ": " + format_count(files.index.files()) + " of " +
                       counted(files.index.members(), "member") + ", " + format_bytes(files.bytes) +
                       " fetched";
    return text + (files.index.greens() ? "\n" : "; without greens: " + files.index.why() + "\n");
}

int campaign_download_command(const CampaignOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::Campaign campaign = client->get_campaign(resolve_campaign(*client, options.campaign));
    const std::string folder = options.output.empty() ? campaign.title() : options.output;
    const CampaignFiles files = download_campaign(*client, campaign, folder, context);
    if (context.json) {
        print_json(downloaded_json(files, folder));
    } else {
        std::cout << downloaded_text(files);
    }
    return run::kExitOk;
}

Command& add_verb(Command& app, Context& context, const char* name, const char* what,
                  int (*action)(const CampaignOptions&, const Context&),
                  const std::shared_ptr<CampaignOptions>& options, bool named = true) {
    Command& command = add_command<CampaignOptions>(app, context, name, what, options, action);
    if (named) {
        command.add_options({{"CAMPAIGN", &options->campaign, kCampaignHelp, kRequired}});
    }
    add_service_options(command, options->service);
    return command;
}

}  // namespace

int wait_for_campaign(client::Client& client, const std::string& id, const std::string& output,
                      const ServiceOptions& service, const Context& context) {
    v1::Campaign campaign;
    try {
        campaign = follow_campaign(client, id);
    } catch (const Interrupted&) {
        const auto typed = [&](const std::string& verb) {
            return to_type(context, service, "campaign " + verb + " " + id.substr(0, 8));
        };
        std::cerr << "\ncampaign " << id << " goes on; `" << typed("watch") << "` shows it, `"
                  << typed("cancel") << "` ends it\n";
        throw;
    }
    const CampaignFiles files = download_campaign(client, campaign, output, context);
    if (context.json) {
        json object = campaign_json(campaign);
        object["output"] = downloaded_json(files, output);
        print_json(object);
    } else {
        std::cout << format_table(rows_of(campaign)) << downloaded_text(files);
    }
    return exit_code_of(campaign);
}

void add_campaign(Command& app, Context& context) {
    Command& campaign = app.add_command("campaign", "Many requests of one file, as one thing");
    campaign.needs_command = true;
    add_campaign_run(campaign, context);
    const auto options = [] { return std::make_shared<CampaignOptions>(); };
    using client::Client;
    add_verb(campaign, context, "status", "Say how far a campaign is", campaign_status_command,
             options());
    add_verb(campaign, context, "watch", "Follow a campaign until it ends", campaign_watch_command,
             options());
    add_verb(campaign, context, "pause", "Start nothing new; what runs ends",
             campaign_change_command<&Client::pause_campaign>, options());
    add_verb(campaign, context, "resume", "Go on with a paused campaign",
             campaign_change_command<&Client::resume_campaign>, options());
    add_verb(campaign, context, "cancel", "End its jobs and whatever waits",
             campaign_change_command<&Client::cancel_campaign>, options());
    add_verb(campaign, context, "retry", "Compute again what failed or was cancelled",
             campaign_change_command<&Client::retry_campaign>, options());
    auto given = options();
    add_verb(campaign, context, "show", "List a campaign's members", campaign_show_command, given)
        .add_options({
            {"--only",
             &given->only,
             "waiting, active, done, failed, cancelled or refused",
             {.check = one_of("waiting|active|done|failed|cancelled|refused")}},
        });
    given = options();
    add_verb(campaign, context, "list", "List campaigns, newest first", campaign_list_command,
             given, false)
        .add_options({
            {"--only",
             &given->only,
             "active, paused, done, failed or cancelled",
             {.check = one_of("active|paused|done|failed|cancelled")}},
            {"--limit", &given->limit, "How many", {.check = between(1, 1000)}},
        });
    given = options();
    add_verb(campaign, context, "limits", "See and set what a campaign may take",
             campaign_limits_command, given)
        .add_options({
            {"--tasks-at-once",
             &given->tasks_at_once,
             "Tasks that are ready or with workers; 0: no limit",
             {.check = kNotNegative}},
            {"--hours",
             &given->hours,
             "Core-hours as planned; 0: no limit",
             {.check = kNotNegative}},
            {"--bytes",
             &given->bytes,
             "Of datasets as planned; 0: no limit",
             {.check = kNotNegative}},
        });
    given = options();
    add_verb(campaign, context, "delete", "Forget an ended campaign; its jobs stay",
             campaign_delete_command, given)
        .add_options({{"--jobs", &given->jobs, "Its members' jobs too"}});
    given = options();
    add_verb(campaign, context, "download",
             "Get its members' datasets and an index over them; files that are there stay",
             campaign_download_command, given)
        .add_options({{"-o,--output", &given->output, "Folder; default: the campaign's name"}});
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "campaign.json";
constexpr const char* kIndex = "index.nc";
constexpr const char* kMembers = "members";

/// Refuses a folder that another campaign's files are in: members may have the same names.
void check_folder(const fs::path& folder, const v1::Campaign& campaign) {
    const fs::path record = folder / kRecord;
    if (!fs::exists(record)) {
        check_can_write("--output", folder);
        return;
    }
    const auto there = report::parse<v1::CampaignIndex>(read_file_if_any(record), record.string());
    if (there.campaign().name() != campaign.name()) {
        throw Error(ErrorCode::Conflict, "--output: '" + folder.string() +
                                             "' has the files of another campaign, " +
                                             there.campaign().title() + "; give another folder");
    }
}

void fetch_member(client::Client& client, const v1::Dataset& dataset, const fs::path& path,
                  std::size_t number, std::size_t all) {
    const OutputPlace place("--output", path, true);
    place.make_folder();
    place.check_space(static_cast<double>(dataset.bytes()));
    ProgressView view(std::cerr, terminal_columns());
    (void)client.download(
        dataset.sha256(), place.part().string(), [&](std::int64_t done, std::int64_t total) {
            const double part =
                total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
            view.show({"download", (static_cast<double>(number) + part) / static_cast<double>(all),
                       std::nullopt, path.filename().string()});
        });
    place.put(place.part());
}

}  // namespace

CampaignFiles download_campaign(client::Client& client, const v1::Campaign& campaign,
                                const fs::path& folder, const Context& context) {
    check_folder(folder, campaign);
    CampaignFiles files;
    v1::CampaignIndex index;
    *index.mutable_campaign() = campaign;
    const std::string id = campaign.name().substr(campaign.name().find('/') + 1);
    const auto members = client.list_members(id, "");
    for (std::size_t k = 0; k < members.size(); ++k) {
        v1::CampaignIndex::Entry& entry = *index.add_members();
        *entry.mutable_member() = members[k];
        entry.mutable_member()->clear_specification();
        if (!members[k].has_dataset()) {
            ++files.missing;
            continue;
        }
        const std::string file = fs::path(kMembers) / file_name_of(members[k].label(), ".h5");
        entry.set_file(file);
        if (holds(folder / file, members[k].dataset())) {
            ++files.there;
            continue;
        }
        fetch_member(client, members[k].dataset(), folder / file, k, members.size());
        files.bytes += static_cast<double>(members[k].dataset().bytes());
        ++files.fetched;
    }
    fs::create_directories(folder);
    write_file(folder / kRecord, report::to_json(index, report::Layout::Indented));
    files.index = verb_report<v1::CampaignIndexReport>(
        context.compute, {"campaign-index", "--record", (folder / kRecord).string(), "--out",
                          (folder / kIndex).string()});
    return files;
}

}  // namespace kaname::cli
