// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "server/service/campaigns/campaigns.hpp"
#include "server/service/jobs/logs.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/jobs/submit.hpp"
#include "server/service/views.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"

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

using Members = v1::CreateCampaignRequest::Members;

/// Members that wait on the disk, in pieces of at most kMaxPart, or of one member.
class MemberPieces {
public:
    explicit MemberPieces(const Context& context) : spool_(context.options.scratch) {}

    void append(const Members& piece) {
        spool_.append(piece.SerializeAsString());
        sizes_.push_back(static_cast<std::size_t>(piece.ByteSizeLong()));
    }
    void rewind() {
        spool_.rewind();
        at_ = 0;
    }
    /// Reads the next piece; returns false after the last one.
    bool next(Members& piece) {
        if (at_ == sizes_.size()) {
            return false;
        }
        if (!piece.ParseFromString(spool_.next(sizes_[at_++]))) {
            throw Error(ErrorCode::Internal, "members: what came cannot be read again");
        }
        return true;
    }

private:
    Spool spool_;
    std::vector<std::size_t> sizes_;
    std::size_t at_ = 0;
};

/// Until the last of them is there they wait on the disk.
void read_members(const Context& context, const Read<v1::CreateCampaignRequest>& read,
                  MemberPieces& pieces) {
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
        pieces.append(part.members());
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
}

/// Labels become names of files of whoever downloads the campaign.
bool leads_away(const std::string& label) {
    const std::filesystem::path path(label);
    return path.is_absolute() || std::ranges::count(path, "..") > 0;
}

/// Two halves of a hash: a million labels are to be told apart without being kept.
using LabelId = std::pair<std::uint64_t, std::uint64_t>;

LabelId id_of_label(const std::string& label) {
    const std::string hex = sha256_hex(label);
    return {std::stoull(hex.substr(0, 16), nullptr, 16),
            std::stoull(hex.substr(16, 16), nullptr, 16)};
}

void check_label(const v1::CampaignMember& member, int n_axes, std::set<LabelId>& labels,
                 std::vector<Violation>& broken) {
    if (member.label().empty() || member.label().size() > kMaxLabel ||
        to_utf8(member.label(), kMaxLabel) != member.label()) {
        broken.push_back({name_of(member) + ": label", "must be text of 1..200 bytes, got " +
                                                           std::to_string(member.label().size())});
    } else if (shown_on_a_line(member.label()) != member.label() || leads_away(member.label())) {
        broken.push_back(
            {name_of(member) + ": label",
             "must have no control characters, no / at its beginning and no .. in it, got \"" +
                 shown_on_a_line(member.label()) + '"'});
    } else if (!labels.insert(id_of_label(member.label())).second) {
        broken.push_back({name_of(member) + ": label", "must be unique in the campaign"});
    }
    if (member.values_size() != n_axes) {
        broken.push_back({name_of(member) + ": values", "must be one per axis, " +
                                                            std::to_string(n_axes) + ", got " +
                                                            std::to_string(member.values_size())});
    }
}

void check_labels(MemberPieces& pieces, int n_axes) {
    std::vector<Violation> broken;
    std::set<LabelId> labels;
    bool any = false;
    Members piece;
    for (pieces.rewind(); pieces.next(piece);) {
        for (const v1::CampaignMember& member : piece.members()) {
            any = true;
            if (broken.size() < kMostErrors) {
                check_label(member, n_axes, labels, broken);
            }
        }
    }
    if (!any) {
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
    std::set<std::string> files;
};

void check_member(const Context& context, const v1::CampaignMember& member, store::NewMember& kept,
                  std::vector<std::string>& files) {
    if (!member.has_specification()) {
        refuse("request", "must be given");
    }
    const std::string& url = member.specification().type_url();
    const auto wanted = parse_specification(*context.options.kinds, url.substr(url.rfind('/') + 1),
                                            member.specification().value(), "request");
    kept = {member.label(), text_of(member.values()), stored_json(*wanted)};
    files = files_of(*wanted);
    const FileNames names = locate_files(context, *wanted);
    (void)names.in_errors([&] { return context.options.kinds->of(*wanted).check(*wanted); });
}

/// Returns the members of one piece that passed; its first is member `first` of all.
std::vector<store::NewMember> check_piece(const Context& context, const Members& piece,
                                          std::size_t first, Findings& findings) {
    const auto size = static_cast<std::size_t>(piece.members_size());
    std::vector<store::NewMember> kept(size);
    std::atomic<std::size_t> next = 0;
    const auto check_some = [&] {
        for (std::size_t k = next++; k < size && findings.n_broken < kMostErrors; k = next++) {
            const v1::CampaignMember& member = piece.members(static_cast<int>(k));
            std::vector<std::string> named;
            try {
                check_member(context, member, kept[k], named);
                const std::lock_guard lock(findings.mutex);
                findings.files.insert(named.begin(), named.end());
            } catch (const ValidationError& error) {
                std::vector<Violation> broken = error.violations();
                for (Violation& one : broken) {
                    one.field = name_of(member) + ": " + one.field;
                }
                const std::lock_guard lock(findings.mutex);
                findings.n_broken += broken.size();
                findings.broken[first + k] = std::move(broken);
            } catch (...) {
                const std::lock_guard lock(findings.mutex);
                findings.trouble = std::current_exception();
                findings.n_broken = kMostErrors;
            }
        }
    };
    std::vector<std::jthread> threads;
    const unsigned n = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
    for (unsigned k = 1; k < n && k < size; ++k) {
        threads.emplace_back(check_some);
    }
    check_some();
    threads.clear();
    return kept;
}

void throw_if_broken(Findings& findings) {
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
}

/// Members as they are stored, on their way through the disk: the values as one text.
Members packed(const std::vector<store::NewMember>& kept) {
    Members piece;
    for (const store::NewMember& member : kept) {
        v1::CampaignMember& one = *piece.add_members();
        one.set_label(member.label);
        one.add_values(member.values);
        one.mutable_specification()->set_value(member.request);
    }
    return piece;
}

std::vector<store::NewMember> unpacked(Members& piece) {
    std::vector<store::NewMember> kept;
    for (v1::CampaignMember& one : *piece.mutable_members()) {
        kept.push_back({std::move(*one.mutable_label()), std::move(*one.mutable_values(0)),
                        std::move(*one.mutable_specification()->mutable_value())});
    }
    return kept;
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

CampaignIntake receive_campaign(const Context& context,
                                const Read<v1::CreateCampaignRequest>& read) {
    v1::CreateCampaignRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a campaign");
    }
    CampaignIntake intake;
    intake.header = part.header();
    check_header(intake.header);
    MemberPieces came(context);
    read_members(context, read, came);
    check_labels(came, intake.header.axes_size());

    // However large the campaign is, one piece of it is in memory at a time.
    store::NewCampaign& campaign = intake.campaign;
    const auto stored = std::make_shared<MemberPieces>(context);
    Findings findings;
    std::size_t n_members = 0;
    Sha256 body;
    v1::CreateCampaignRequest::Header without_id = intake.header;
    without_id.clear_request_id();
    body.update(without_id.SerializeAsString());
    Members piece;
    for (came.rewind(); findings.n_broken < kMostErrors && came.next(piece);) {
        const std::vector<store::NewMember> kept = check_piece(context, piece, n_members, findings);
        n_members += kept.size();
        for (const store::NewMember& member : kept) {
            body.update('\n' + member.label + '\n' + member.values + '\n' + member.request);
        }
        if (findings.n_broken == 0) {
            const Members next = packed(kept);
            check_room(context, next.ByteSizeLong());
            stored->append(next);
        }
    }
    throw_if_broken(findings);
    campaign.files.assign(findings.files.begin(), findings.files.end());
    campaign.more_members = [stored](bool first) {
        if (first) {
            stored->rewind();
        }
        Members next;
        return stored->next(next) ? unpacked(next) : std::vector<store::NewMember>{};
    };
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
