// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/campaign/expand.hpp"

#include <algorithm>
#include <map>

#include "proto/request/campaign/campaign_file.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"

namespace kaname::request {
namespace {

using google::protobuf::Message;
namespace fs = std::filesystem;

/// Axes that vary together, and how many values they have.
struct Group {
    std::vector<std::size_t> axes;
    std::size_t size = 0;
};

std::vector<Group> groups_of(const std::vector<Axis>& axes) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> along;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (!axes[k].along.empty()) {
            const auto [at, fresh] = along.try_emplace(axes[k].along, groups.size());
            if (!fresh) {
                groups[at->second].axes.push_back(k);
                continue;
            }
        }
        groups.push_back({{k}, axes[k].values.size()});
    }
    return groups;
}

std::size_t count_members(const std::vector<Group>& groups) {
    std::size_t count = 1;
    for (const Group& group : groups) {
        count *= group.size;
        if (count > static_cast<std::size_t>(kMostMembers)) {
            std::string factors;
            for (const Group& each : groups) {
                factors += (factors.empty() ? "" : " x ") + std::to_string(each.size);
            }
            throw ValidationError({{"vary", "must give at most " + std::to_string(kMostMembers) +
                                                " members, gives " + factors}});
        }
    }
    return count;
}

/// Which value of each axis member `ordinal` has; the last group runs fastest.
std::vector<std::size_t> choice_of(std::size_t ordinal, const std::vector<Group>& groups,
                                   std::size_t n_axes) {
    std::vector<std::size_t> choice(n_axes);
    for (std::size_t g = groups.size(); g-- > 0;) {
        for (const std::size_t axis : groups[g].axes) {
            choice[axis] = ordinal % groups[g].size;
        }
        ordinal /= groups[g].size;
    }
    return choice;
}

void make_paths_absolute(Message& message, const fs::path& folder) {
    for_each_file(message, [&](v1::File& file, const std::string&) {
        if (!file.path().empty()) {
            file.set_path((folder / file.path()).lexically_normal().string());
        }
    });
}

/// The request that all members begin with.
struct Base {
    const Kind& kind;
    std::unique_ptr<Message> message;
    YamlReading reading;
};

Base read_base_message(const CampaignFile& campaign, const Kinds& kinds) {
    const YAML::Node schema = campaign.base["schema"];
    const Kind* kind = nullptr;
    try {
        kind = &kinds.of_schema(schema && schema.IsScalar() ? schema.Scalar() : "");
    } catch (const ValidationError& error) {
        throw ValidationError({{"base.schema", error.violations().front().message + " (" +
                                                   campaign.base_file + ")"}});
    }
    Base base{*kind, std::unique_ptr<Message>(kind->prototype().New()), {}};
    read_yaml_mapping(campaign.base, *base.message, "", base.reading);
    if (!base.reading.violations.empty()) {
        for (Violation& violation : base.reading.violations) {
            violation.field = "base." + violation.field;
            violation.message = campaign.base_file + ": " + violation.message;
        }
        throw ValidationError(std::move(base.reading.violations));
    }
    for (auto& [field, place] : base.reading.places) {
        place.file = campaign.base_file;
    }
    make_paths_absolute(*base.message, campaign.base_folder);
    return base;
}

/// A mapping may stand in a file of its own: `structure: layered.yaml`.
YamlValue opened(const YamlValue& value, const fs::path& folder, fs::path& files_from) {
    const fs::path path = folder / value.node.Scalar();
    files_from = path.parent_path();
    const std::string text = read_text_file(path.string());
    try {
        return {YAML::Load(text), 1, path.filename().string()};
    } catch (const YAML::Exception& error) {
        throw not_yaml(path.string(), text, error);
    }
}

bool names_yaml_file(const YamlValue& value) {
    return value.node.IsScalar() &&
           (value.node.Scalar().ends_with(".yaml") || value.node.Scalar().ends_with(".yml"));
}

void apply(const AxisValue& value, Message& message, YamlReading& reading) {
    for (const auto& [key, setting] : value.settings) {
        fs::path folder = value.folder;
        try {
            set_yaml_value(
                key, names_yaml_file(setting) ? opened(setting, value.folder, folder) : setting,
                message, reading);
        } catch (const Error& error) {
            reading.violations.push_back(
                {key,
                 setting.file + ": line " + std::to_string(setting.line) + ": " + error.what()});
            reading.unread.insert(key);
        }
        make_paths_absolute(message, folder);
    }
}

v1::CampaignAxis to_message(const Axis& axis) {
    v1::CampaignAxis message;
    message.set_name(axis.name);
    message.mutable_keys()->Assign(axis.keys.begin(), axis.keys.end());
    for (const AxisValue& value : axis.values) {
        message.add_values(value.word);
    }
    message.set_unit(axis.unit);
    message.set_along(axis.along);
    return message;
}

std::unique_ptr<Request> make_request(const Base& base, const std::vector<Axis>& axes,
                                      const std::vector<std::size_t>& choice) {
    const std::unique_ptr<Message> message(base.message->New());
    message->CopyFrom(*base.message);
    YamlReading reading = base.reading;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        apply(axes[k].values[choice[k]], *message, reading);
    }
    return base.kind.check_read(*message, std::move(reading));
}

}  // namespace

std::vector<Violation> by_member(const std::vector<BadMember>& bad, std::size_t all) {
    constexpr std::size_t kNamed = 5;
    std::vector<std::pair<Violation, std::vector<std::string>>> found;
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    for (const BadMember& member : bad) {
        for (const Violation& violation : member.violations) {
            const auto [at, fresh] =
                seen.try_emplace({violation.field, violation.message}, found.size());
            if (fresh) {
                found.push_back({violation, {}});
            }
            found[at->second].second.push_back(member.label);
        }
    }
    std::vector<Violation> lines;
    for (auto& [violation, labels] : found) {
        std::string who = labels.size() == 1 ? "member " : "members ";
        if (labels.size() == all && all > 1) {
            who = "all " + std::to_string(all) + " members";
        } else {
            for (std::size_t k = 0; k < std::min(kNamed, labels.size()); ++k) {
                who += (k > 0 ? " and " : "") + labels[k];
            }
            if (labels.size() > kNamed) {
                who += " and " + std::to_string(labels.size() - kNamed) + " more";
            }
        }
        lines.push_back({who + ": " + violation.field, violation.message});
    }
    return lines;
}

Expansion expand_campaign(const std::string& path, const Kinds& kinds,
                          const ExpandOptions& options) {
    const CampaignFile campaign = read_campaign(path);
    const Base base = read_base_message(campaign, kinds);
    const std::vector<Group> groups = groups_of(campaign.axes);
    const std::size_t count = count_members(groups);

    Expansion expansion{campaign.name, campaign.priority, campaign.limits, {}, {}, {}};
    for (const Axis& axis : campaign.axes) {
        expansion.axes.push_back(to_message(axis));
    }
    std::map<std::string, std::string> first;  // label by content
    for (std::size_t ordinal = 0; ordinal < count; ++ordinal) {
        const std::vector<std::size_t> choice = choice_of(ordinal, groups, campaign.axes.size());
        Member member;
        for (std::size_t k = 0; k < campaign.axes.size(); ++k) {
            const Axis& axis = campaign.axes[k];
            member.values.push_back(axis.values[choice[k]].word);
            member.label += (k > 0 ? "," : "") + axis.name + "=" + member.values.back();
        }
        try {
            if (member.label.size() > kLongestLabel) {
                throw ValidationError({{"vary", "the name of a member must have at most " +
                                                    std::to_string(kLongestLabel) + " bytes, got " +
                                                    std::to_string(member.label.size()) +
                                                    "; values in rows get names of their own"}});
            }
            member.request = make_request(base, campaign.axes, choice);
            const auto [at, fresh] =
                first.try_emplace(base.kind.content_hash(member.request->message()), member.label);
            if (!fresh) {
                throw ValidationError(
                    {{"vary", "members must differ, and it is the same request as " + at->second}});
            }
            expansion.members.push_back(std::move(member));
        } catch (const ValidationError& error) {
            expansion.skipped.push_back({member.label, error.violations()});
        }
        if (options.on_member) {
            options.on_member(ordinal + 1, count);
        }
    }
    if (!expansion.skipped.empty() && (!options.skip_bad || expansion.members.empty())) {
        throw ValidationError(by_member(expansion.skipped, count));
    }
    return expansion;
}

}  // namespace kaname::request
