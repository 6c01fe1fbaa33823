// SPDX-License-Identifier: BSD-3-Clause
// campaign plan, run, extend.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "client/cli/campaigns/campaign.hpp"
#include "client/cli/campaigns/campaign_plan.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct CampaignPlanOptions {
    std::string file;
    int threads = 0;
    bool skip_bad = false, members = false;
};

struct CampaignRunOptions {
    ServiceOptions service;
    CampaignPlanOptions plan;
    std::string campaign, output, request_id;
    bool wait = false;
};

double share(std::size_t done, std::size_t all) {
    return all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1.0;
}

struct Planned {
    request::Expansion expansion;
    CampaignPlan plan;
};

Planned make_plan(const CampaignPlanOptions& options, const Context& context) {
    ProgressView view(std::cerr, terminal_columns());
    request::ExpandOptions how;
    how.skip_bad = options.skip_bad;
    how.on_member = [&](std::size_t done, std::size_t all) {
        throw_if_interrupted();
        view.show({"members", share(done, all), std::nullopt, ""});
    };
    Planned planned{request::expand_campaign(options.file, request::built_in_kinds(), how), {}};
    // Each is a process with a thread of its own for the most part.
    constexpr unsigned kMostAtOnce = 16;
    const unsigned at_once = std::clamp(std::thread::hardware_concurrency(), 1U, kMostAtOnce);
    planned.plan = plan_campaign(
        planned.expansion, options.skip_bad, static_cast<int>(at_once),
        [&](const google::protobuf::Message& specification) {
            return preflight(specification, options.threads, context);
        },
        [&](std::size_t done, std::size_t all) {
            view.show({"estimates", share(done, all), std::nullopt, ""});
        });
    view.end_line();
    for (const request::BadMember& bad : planned.expansion.skipped) {
        for (const Violation& violation : bad.violations) {
            std::cerr << "left out: " << bad.label << ": " << violation.field << ": "
                      << violation.message << "\n";
        }
    }
    constexpr std::size_t kShown = 10;
    const std::vector<std::string>& warnings = planned.plan.warnings;
    for (std::size_t k = 0; k < std::min(kShown, warnings.size()); ++k) {
        std::cerr << "warning: " << warnings[k] << "\n";
    }
    if (warnings.size() > kShown) {
        std::cerr << "warning: and " << warnings.size() - kShown << " more; --json has them all\n";
    }
    return planned;
}

int campaign_plan_command(const CampaignPlanOptions& options, const Context& context) {
    const Planned planned = make_plan(options, context);
    if (!context.json) {
        std::cout << plan_text(planned.expansion, planned.plan, options.members);
    }
    check_limits(planned.expansion.limits, planned.plan.cost);
    if (context.json) {
        print_json(plan_json(planned.expansion, planned.plan, options.members));
    }
    return run::kExitOk;
}

/// The members as a server takes them, and their files there, each once.
std::vector<v1::CampaignMember> upload_members(client::Client& client,
                                               const request::Expansion& expansion) {
    std::vector<v1::CampaignMember> members;
    std::map<std::string, std::string> paths;  // by sha256
    for (const request::Member& member : expansion.members) {
        v1::CampaignMember& sent = members.emplace_back();
        sent.set_label(member.label);
        sent.mutable_values()->Assign(member.values.begin(), member.values.end());
        const google::protobuf::Message& message = member.request->message();
        const std::unique_ptr<google::protobuf::Message> named(message.New());
        named->CopyFrom(message);
        request::for_each_file(*named, [&](v1::File& file, const std::string&) {
            paths[file.sha256()] = file.path();
            file.set_path(std::filesystem::path(file.path()).filename().string());
        });
        sent.mutable_specification()->PackFrom(*named);
    }
    ProgressView view(std::cerr, terminal_columns());
    std::size_t number = 0;
    for (const auto& [sha256, path] : paths) {
        client.upload(path, sha256, [&](std::int64_t done, std::int64_t total) {
            const double part =
                total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
            view.show({"upload",
                       (static_cast<double>(number) + part) / static_cast<double>(paths.size()),
                       std::nullopt, std::filesystem::path(path).filename().string()});
        });
        ++number;
    }
    return members;
}

v1::Campaign send_campaign(client::Client& client, const CampaignRunOptions& options,
                           const Planned& planned, const std::string& extends) {
    v1::CreateCampaignRequest::Header header;
    header.set_request_id(options.request_id.empty() ? make_uuid() : options.request_id);
    if (!extends.empty()) {
        header.set_campaign("campaigns/" + extends);
    }
    header.set_title(planned.expansion.name);
    header.set_priority(planned.expansion.priority);
    for (const v1::CampaignAxis& axis : planned.expansion.axes) {
        *header.add_axes() = axis;
    }
    *header.mutable_limits() = planned.expansion.limits;
    *header.mutable_cost() = planned.plan.cost;
    return client.send_campaign(header, upload_members(client, planned.expansion));
}

int run_or_extend(const CampaignRunOptions& options, bool extend, const Context& context) {
    if (!options.wait && !options.output.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--output: must be given with --wait only, got '" + options.output +
                        "'; without it the datasets are fetched later: kaname campaign download");
    }
    const Planned planned = make_plan(options.plan, context);
    std::cerr << plan_text(planned.expansion, planned.plan, false);
    check_limits(planned.expansion.limits, planned.plan.cost);
    const auto client = open_client(options.service);
    const std::string extends = extend ? resolve_campaign(*client, options.campaign) : "";
    const v1::Campaign campaign = send_campaign(*client, options, planned, extends);
    const std::string id = id_of(campaign.name());
    std::cerr << "campaign " << id << ": " << counts_text(campaign.members()) << "\n";
    if (options.wait) {
        return wait_for_campaign(*client, id,
                                 options.output.empty() ? planned.expansion.name : options.output,
                                 options.service, context);
    }
    if (context.json) {
        print_json(campaign_json(campaign));
    } else {
        std::cout << id << "\n";
    }
    return run::kExitOk;
}

int campaign_run_command(const CampaignRunOptions& options, const Context& context) {
    return run_or_extend(options, false, context);
}

int campaign_extend_command(const CampaignRunOptions& options, const Context& context) {
    return run_or_extend(options, true, context);
}

void add_plan_options(Command& command, CampaignPlanOptions& options) {
    command.add_options({
        {"FILE", &options.file, "Campaign (YAML)", kRequired},
        {"--skip-bad", &options.skip_bad,
         "Leave out members that break rules instead of refusing all"},
        {"--threads",
         &options.threads,
         "Threads that times are for; 0: all cores",
         {.check = kNotNegative}},
    });
}

void add_run_options(Command& command, CampaignRunOptions& options) {
    add_plan_options(command, options.plan);
    command.add_options(
        {{"--wait", &options.wait, "Watch it, then download the datasets"},
         {"-o,--output", &options.output,
          "With --wait: folder of the datasets; default: the campaign's name"},
         {"--request-id", &options.request_id,
          "UUID of this wish: repeating the command with it queues nothing twice"}});
    add_service_options(command, options.service);
}

}  // namespace

void add_campaign_run(Command& campaign, Context& context) {
    const auto plan = std::make_shared<CampaignPlanOptions>();
    Command& planning = add_command<CampaignPlanOptions>(
        campaign, context, "plan", "Say what a campaign's file would take to compute", plan,
        campaign_plan_command);
    add_plan_options(planning, *plan);
    planning.add_options({{"--members", &plan->members, "Say it of each member too"}});
    const auto run = std::make_shared<CampaignRunOptions>();
    add_run_options(
        add_command<CampaignRunOptions>(campaign, context, "run", "Hand a campaign to the server",
                                        run, campaign_run_command),
        *run);
    const auto extend = std::make_shared<CampaignRunOptions>();
    Command& extending = add_command<CampaignRunOptions>(
        campaign, context, "extend", "Add the members that a changed file has more", extend,
        campaign_extend_command);
    extending.add_options({{"CAMPAIGN", &extend->campaign, kCampaignHelp, kRequired}});
    add_run_options(extending, *extend);
}

}  // namespace kaname::cli
