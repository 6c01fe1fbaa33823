// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <set>

#include "client/cli/campaigns/campaign_plan.hpp"
#include "client/cli/common/service.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

std::string values_text(const v1::CampaignAxis& axis) {
    constexpr int kShown = 8;
    std::string text;
    for (int k = 0; k < axis.values_size(); ++k) {
        if (k == kShown - 2 && axis.values_size() > kShown) {
            text += ", ..., " + axis.values(axis.values_size() - 1);
            break;
        }
        text += (k > 0 ? ", " : "") + axis.values(k);
    }
    return text + (axis.unit().empty() ? "" : " " + axis.unit());
}

std::string axis_text(const v1::CampaignAxis& axis) {
    return std::to_string(axis.values_size()) + ": " + values_text(axis) +
           (axis.along().empty() ? "" : " (along " + axis.along() + ")");
}

std::string range_text(std::int64_t least, std::int64_t largest) {
    return least == largest ? format_count(largest)
                            : format_count(least) + " to " + format_count(largest);
}

}  // namespace

std::string resolve_campaign(client::Client& client, const std::string& text) {
    const auto find = [&](const std::string& filter, int limit) {
        const v1::ListCampaignsResponse page = client.list_campaigns(filter, limit, "");
        std::vector<std::string> ids;
        for (const v1::Campaign& campaign : page.campaigns()) {
            ids.push_back(id_of(campaign.name()));
        }
        return ids;
    };
    return resolve_id(
        text, find,
        {"there is no campaign yet", "CAMPAIGN must name one campaign, \"" + text + "\" begins ",
         "no campaign is named \"" + text +
             "\"; give its id, at least four of the id's first characters, its name, or latest"});
}

std::string counts_text(const v1::CampaignCounts& counts) {
    std::string text =
        format_count(counts.done()) + " of " + counted(counts.total(), "member") + " done";
    const auto add = [&](std::int64_t count, const char* what) {
        text += count > 0 ? ", " + format_count(count) + " " + what : "";
    };
    add(counts.active(), "active");
    add(counts.waiting(), "waiting");
    add(counts.failed(), "failed");
    add(counts.cancelled(), "cancelled");
    add(counts.refused(), "refused");
    return text;
}

std::string shape_text(const std::vector<v1::CampaignAxis>& axes) {
    std::set<std::string> along;
    std::string text;
    for (const v1::CampaignAxis& axis : axes) {
        if (axis.along().empty() || along.insert(axis.along()).second) {
            text += (text.empty() ? "" : " x ") + std::to_string(axis.values_size());
        }
    }
    return text;
}

json campaign_json(const v1::Campaign& campaign) {
    json object = json_of(campaign,
                          "name@id title owner state priority axes limits members cost created_s "
                          "ended_s etag reason");
    object["sources"] = json_of(campaign.sources(), "sources=all done failed");
    return object;
}

json member_json(const v1::CampaignMember& member) {
    json object = json_of(member, "ordinal label values state job@job error");
    if (member.has_dataset()) {
        object.update(json_of(member.dataset(), "sha256 bytes complete"));
    }
    return object;
}

json plan_json(const request::Expansion& expansion, const CampaignPlan& plan, bool members) {
    json axes = json::array(), skipped = json::array();
    for (const v1::CampaignAxis& axis : expansion.axes) {
        axes.push_back(json_of(axis));
    }
    for (const request::BadMember& bad : expansion.skipped) {
        json why = json::array();
        for (const Violation& violation : bad.violations) {
            why.push_back({{"field", violation.field}, {"message", violation.message}});
        }
        skipped.push_back({{"label", bad.label}, {"violations", why}});
    }
    json object = {{"name", expansion.name},
                   {"axes", axes},
                   {"cost", json_of(plan.cost)},
                   {"least_dof", plan.least_dof},
                   {"solve_bytes", plan.solve_bytes},
                   {"gpu_bytes", plan.gpu_bytes},
                   {"preflights", plan.preflights},
                   {"warnings", plan.warnings},
                   {"skipped", skipped}};
    if (members) {
        json list = json::array();
        for (std::size_t k = 0; k < expansion.members.size(); ++k) {
            const CampaignPlan::Of& of = plan.members[k];
            list.push_back({{"label", expansion.members[k].label},
                            {"values", expansion.members[k].values},
                            {"sources", of.sources},
                            {"dof", of.dof},
                            {"core_hours", of.core_hours},
                            {"bytes", of.bytes}});
        }
        object["members"] = list;
    }
    return object;
}

Rows rows_of(const v1::CampaignCost& cost) {
    return {{"stages", format_count(cost.stages()) + " to compute, " +
                           format_count(cost.shared_stages()) + " more are shared"},
            {"sources", format_count(cost.sources())},
            {"core-hours", format_number(cost.core_hours())},
            {"datasets", format_bytes(cost.bytes())}};
}

Rows rows_of(const v1::Campaign& campaign) {
    Rows rows = {{"campaign", id_of(campaign.name())},
                 {"name", campaign.title()},
                 {"state", state_text(campaign.state())},
                 {"members", counts_text(campaign.members())}};
    if (campaign.sources().sources() > 0) {
        rows.emplace_back("sources",
                          format_count(campaign.sources().done()) + " of " +
                              format_count(campaign.sources().sources()) + " done" +
                              (campaign.sources().failed() > 0
                                   ? ", " + format_count(campaign.sources().failed()) + " failed"
                                   : ""));
    }
    if (!campaign.reason().empty()) {
        rows.emplace_back("why it waits", campaign.reason());
    }
    rows.emplace_back("submitted", time_text(campaign.created_s()) + " by " + campaign.owner());
    if (campaign.ended_s() > 0.0) {
        rows.emplace_back("took", format_seconds(campaign.ended_s() - campaign.created_s()));
    }
    return rows;
}

std::string plan_text(const request::Expansion& expansion, const CampaignPlan& plan, bool members) {
    Rows rows = {{"members",
                  format_count(plan.cost.jobs()) + " (" + shape_text(expansion.axes) +
                      (expansion.skipped.empty()
                           ? ""
                           : ", " + format_count(static_cast<long long>(expansion.skipped.size())) +
                                 " left out") +
                      ")"}};
    for (const v1::CampaignAxis& axis : expansion.axes) {
        rows.emplace_back("  " + axis.name(), axis_text(axis));
    }
    rows.emplace_back("unknowns", range_text(plan.least_dof, plan.cost.largest_dof()));
    for (auto& row : rows_of(plan.cost)) {
        rows.push_back(std::move(row));
    }
    rows.emplace_back("memory of a solve",
                      format_bytes(plan.solve_bytes) + ", on GPUs " + format_bytes(plan.gpu_bytes));
    rows.emplace_back("estimates", format_count(static_cast<long long>(plan.preflights)) +
                                       " made for " + counted(plan.cost.jobs(), "member") +
                                       "; others take one of the same mesh");
    std::string text = format_table(rows);
    if (members) {
        Rows lines;
        for (std::size_t k = 0; k < expansion.members.size(); ++k) {
            const CampaignPlan::Of& of = plan.members[k];
            lines.emplace_back(expansion.members[k].label,
                               counted(of.sources, "source") + ", " + counted(of.dof, "unknown") +
                                   ", " + format_number(of.core_hours) + " core-hours, " +
                                   format_bytes(of.bytes));
        }
        text += "\n" + format_table(lines);
    }
    return text;
}

int exit_code_of(const v1::Campaign& campaign) {
    switch (campaign.state()) {
        case v1::Campaign::DONE:
            return run::kExitOk;
        case v1::Campaign::FAILED:
            return run::kExitSomeFailed;
        default:
            return run::kExitConflict;
    }
}

}  // namespace kaname::cli
