// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/campaign_intake.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "server/service/campaign_views.hpp"
#include "server/service/specs.hpp"
#include "server/service/spool.hpp"
#include "server/service/submit.hpp"
#include "server/service/views.hpp"
#include "solvers/base/sha256.hpp"
#include "solvers/base/shown.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxPart = 1U << 20U;
constexpr std::size_t kMaxTitle = 200;
constexpr std::size_t kMostErrors = 100;
constexpr unsigned kMostThreads = 8;

/// member "slab=a" (1e19, a)
std::string name_of(const v1::CampaignMember& member) {
    std::string values;
    for (const std::string& value : member.values()) {
        values += (values.empty() ? "" : ", ") + value;
    }
    return "member \"" + shown_on_a_line(to_utf8(member.label(), kMaxLabel)) + "\" (" +
           shown_on_a_line(to_utf8(values, kMaxLabel)) + ')';
}

std::string figure(double value) {
    std::ostringstream text;
    text << std::setprecision(4) << value;
    return text.str();
}

void check_header(const v1::CreateCampaignRequest::Header& header) {
    std::vector<Violation> broken;
    try {
        (void)id_of(header.request_id(), "requests", "header.request_id");
    } catch (const Error&) {
        broken.push_back(
            {"header.request_id", "must be a UUID, got \"" + header.request_id() + '"'});
    }
    if (header.title().empty() || header.title().size() > kMaxTitle) {
        broken.push_back({"header.title",
                          "must have 1..200 bytes, got " + std::to_string(header.title().size())});
    }
    if (header.priority() < -kMaxPriority || header.priority() > kMaxPriority) {
        broken.push_back({"header.priority",
                          "must be within -100..100, got " + std::to_string(header.priority())});
    }
    if (static_cast<std::size_t>(header.axes_size()) > kMaxAxes) {
        broken.push_back(
            {"header.axes", "must be at most 16, got " + std::to_string(header.axes_size())});
    }
    std::set<std::string> names;
    for (const v1::CampaignAxis& axis : header.axes()) {
        if (axis.name().empty() || !names.insert(axis.name()).second) {
            broken.push_back({"header.axes", "each must have a name of its own, got \"" +
                                                 to_utf8(axis.name(), kMaxLabel) + '"'});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    check_limits(header.limits(), header.cost());
}

/// Until the last of them is there they wait on the disk.
std::vector<v1::CampaignMember> read_members(const Context& context,
                                             const Read<v1::CreateCampaignRequest>& read) {
    Spool spool(context.options.scratch);
    std::vector<std::size_t> sizes;
    Sha256 labels;
    std::int64_t n_members = 0;
    v1::CreateCampaignRequest part;
    std::size_t bytes = 0;
    while (read(part) && part.has_members()) {
        const std::size_t size = part.members().ByteSizeLong();
        if (size > kMaxPart && part.members().members_size() > 1) {
            refuse("members",
                   "must have at most 1048576 bytes in one message, or one member; got " +
                       std::to_string(size));
        }
        bytes += size;
        if (bytes > kMaxMemberBytes) {
            throw Error(ErrorCode::Exhausted,
                        "members: a call must have at most " + std::to_string(kMaxMemberBytes) +
                            " bytes of them; add the others with ExtendCampaign");
        }
        for (const v1::CampaignMember& member : part.members().members()) {
            labels.update(member.label() + '\n');
        }
        n_members += part.members().members_size();
        check_room(context, size);
        sizes.push_back(size);
        spool.append(part.members().SerializeAsString());
        if (n_members > kMaxMembers) {
            throw Error(ErrorCode::Exhausted,
                        "members: a campaign must have at most " + std::to_string(kMaxMembers));
        }
    }
    if (!part.has_commit()) {
        refuse("commit", "must end the campaign; nothing was kept");
    }
    const std::string sha256 = labels.hex();
    if (part.commit().members() != n_members || part.commit().sha256() != sha256) {
        refuse("commit", "must name the members that were sent: " + std::to_string(n_members) +
                             " with sha256 " + sha256);
    }
    std::vector<v1::CampaignMember> members;
    for (const std::size_t size : sizes) {
        v1::CreateCampaignRequest::Members some;
        if (!some.ParseFromString(spool.next(size))) {
            throw Error(ErrorCode::Internal, "members: what came cannot be read again");
        }
        std::ranges::move(*some.mutable_members(), std::back_inserter(members));
    }
    return members;
}

/// Labels become names of files of whoever downloads the campaign.
bool leads_away(const std::string& label) {
    const std::filesystem::path path(label);
    return path.is_absolute() || std::ranges::count(path, "..") > 0;
}

void check_labels(const std::vector<v1::CampaignMember>& members, int n_axes) {
    std::vector<Violation> broken;
    std::set<std::string> labels;
    for (const v1::CampaignMember& member : members) {
        if (broken.size() >= kMostErrors) {
            break;
        }
        if (member.label().empty() || member.label().size() > kMaxLabel ||
            to_utf8(member.label(), kMaxLabel) != member.label()) {
            broken.push_back(
                {name_of(member) + ": label",
                 "must be text of 1..200 bytes, got " + std::to_string(member.label().size())});
        } else if (shown_on_a_line(member.label()) != member.label() ||
                   leads_away(member.label())) {
            broken.push_back(
                {name_of(member) + ": label",
                 "must have no control characters, no / at its beginning and no .. in it, got \"" +
                     shown_on_a_line(member.label()) + '"'});
        } else if (!labels.insert(member.label()).second) {
            broken.push_back({name_of(member) + ": label", "must be unique in the campaign"});
        }
        if (member.values_size() != n_axes) {
            broken.push_back({name_of(member) + ": values",
                              "must be one per axis, " + std::to_string(n_axes) + ", got " +
                                  std::to_string(member.values_size())});
        }
    }
    if (members.empty()) {
        broken.push_back({"members", "must be at least one"});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

/// Collects the errors that checking all members finds, from any thread.
struct Findings {
    std::mutex mutex;
    std::map<std::size_t, std::vector<Violation>> broken;  ///< by member
    std::exception_ptr trouble;
    std::atomic<std::size_t> n_broken = 0;
};

void check_member(const Context& context, const v1::CampaignMember& member, store::NewMember& kept,
                  std::vector<std::string>& files) {
    if (!member.has_specification()) {
        refuse("specification", "must be given");
    }
    const std::string& url = member.specification().type_url();
    const auto wanted = parse_specification(*context.options.kinds, url.substr(url.rfind('/') + 1),
                                            member.specification().value(), "specification");
    kept = {member.label(), text_of(member.values()), stored_json(*wanted)};
    files = files_of(*wanted);
    const FileNames names = locate_files(context, *wanted);
    (void)names.in_errors([&] { return context.options.kinds->of(*wanted).check(*wanted); });
}

void check_members(const Context& context, const std::vector<v1::CampaignMember>& members,
                   store::NewCampaign& campaign) {
    campaign.members.resize(members.size());
    std::set<std::string> files;
    Findings findings;
    std::atomic<std::size_t> next = 0;
    const auto check_some = [&] {
        for (std::size_t k = next++; k < members.size() && findings.n_broken < kMostErrors;
             k = next++) {
            std::vector<std::string> named;
            try {
                check_member(context, members[k], campaign.members[k], named);
                const std::lock_guard lock(findings.mutex);
                files.insert(named.begin(), named.end());
            } catch (const ValidationError& error) {
                std::vector<Violation> broken = error.violations();
                for (Violation& one : broken) {
                    one.field = name_of(members[k]) + ": " + one.field;
                }
                const std::lock_guard lock(findings.mutex);
                findings.n_broken += broken.size();
                findings.broken[k] = std::move(broken);
            } catch (...) {
                const std::lock_guard lock(findings.mutex);
                findings.trouble = std::current_exception();
                findings.n_broken = kMostErrors;
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        const unsigned n = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
        for (unsigned k = 1; k < n && k < members.size(); ++k) {
            threads.emplace_back(check_some);
        }
        check_some();
    }
    if (findings.trouble) {
        std::rethrow_exception(findings.trouble);
    }
    std::vector<Violation> broken;
    for (auto& [member, violations] : findings.broken) {
        std::ranges::move(violations, std::back_inserter(broken));
    }
    if (!broken.empty()) {
        broken.resize(std::min(broken.size(), kMostErrors));
        throw ValidationError(std::move(broken));
    }
    campaign.files.assign(files.begin(), files.end());
}

}  // namespace

void check_limits(const v1::CampaignLimits& limits, const v1::CampaignCost& cost) {
    std::vector<Violation> broken;
    if (limits.tasks_at_once() < 0) {
        broken.push_back({"limits.tasks_at_once",
                          "must be >= 0, got " + std::to_string(limits.tasks_at_once())});
    }
    const auto check = [&](const char* field, double limit, double planned) {
        if (!std::isfinite(limit) || limit < 0) {
            broken.push_back({field, "must be >= 0, got " + figure(limit)});
        } else if (limit > 0 && planned > limit) {
            broken.push_back({field, "must be at least what is planned, " + figure(planned) +
                                         ", got " + figure(limit)});
        }
    };
    check("limits.hours", limits.hours(), cost.core_hours());
    check("limits.bytes", limits.bytes(), cost.bytes());
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

Intake receive_campaign(const Context& context, const Read<v1::CreateCampaignRequest>& read) {
    v1::CreateCampaignRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a campaign");
    }
    Intake intake;
    intake.header = part.header();
    check_header(intake.header);
    const std::vector<v1::CampaignMember> members = read_members(context, read);
    check_labels(members, intake.header.axes_size());
    store::NewCampaign& campaign = intake.campaign;
    check_members(context, members, campaign);

    std::size_t bytes = 0;
    Sha256 body;
    v1::CreateCampaignRequest::Header without_id = intake.header;
    without_id.clear_request_id();
    body.update(without_id.SerializeAsString());
    for (const store::NewMember& member : campaign.members) {
        body.update('\n' + member.label + '\n' + member.values + '\n' + member.spec);
        bytes += member.spec.size();
    }
    check_room(context, bytes);
    campaign.request_id = intake.header.request_id();
    campaign.body_sha256 = body.hex();
    campaign.most_members = kMaxMembers;
    campaign.title = intake.header.title();
    campaign.priority = intake.header.priority();
    campaign.axes = text_of(intake.header.axes());
    campaign.cost = text_of(intake.header.cost());
    campaign.limits = {intake.header.limits().tasks_at_once(), intake.header.limits().hours(),
                       intake.header.limits().bytes()};
    campaign.check_files = [&context, files = campaign.files] {
        for (const std::string& file : files) {
            if (!context.artifacts.exists(file)) {
                throw Error(ErrorCode::Unavailable,
                            "file " + file + " was removed meanwhile; upload it and call again");
            }
        }
    };
    return intake;
}

}  // namespace kaname::service
