// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/campaign/campaign_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"

namespace kaname::request {
namespace {

namespace fs = std::filesystem;

/// Names of the index's own dimensions and variables.
const std::vector<std::string>& taken_names() {
    static const std::vector<std::string> names = {"station", "source", "epoch", "component",
                                                   "state",   "job",    "file",  "sha256",
                                                   "member",  "greens", "label"};
    return names;
}

YAML::Node parse(const std::string& path) {
    const std::string text = read_text_file(path);
    try {
        YAML::Node node = YAML::Load(text);
        if (!node.IsMap()) {
            throw Error(ErrorCode::InvalidArgument,
                        "file '" + path + "' must be a mapping of fields (schema: ...)");
        }
        return node;
    } catch (const YAML::Exception& error) {
        throw not_yaml(path, text, error);
    }
}

void read_base(const YamlFields& fields, const fs::path& source, CampaignFile& campaign) {
    const YAML::Node base = fields.find("base");
    if (!base.IsDefined()) {
        fields.fail("base", "must be given: a request's file, or the request itself");
    } else if (base.IsMap()) {
        campaign.base = base;
        campaign.base_file = source.filename().string();
        campaign.base_folder = source.parent_path();
    } else if (base.IsScalar()) {
        const fs::path path = source.parent_path() / base.Scalar();
        try {
            campaign.base = parse(path.string());
        } catch (const Error& error) {
            fields.fail("base", base, error.what());
            return;
        }
        campaign.base_file = path.filename().string();
        campaign.base_folder = path.parent_path();
    } else {
        fields.fail("base", base, "expected a file's path or a mapping");
    }
}

void read_limits(const YamlFields& fields, v1::CampaignLimits& limits) {
    const YAML::Node node = fields.find("limits");
    if (!node.IsDefined()) {
        return;
    }
    if (!node.IsMap()) {
        fields.fail("limits", node, "expected a mapping with tasks_at_once, hours and bytes");
        return;
    }
    const YamlFields inner(node, "limits", fields.broken());
    inner.expect_keys({"tasks_at_once", "hours", "bytes"});
    constexpr std::int64_t kMostTasks = 1000000;
    limits.set_tasks_at_once(inner.whole("tasks_at_once", 1, kMostTasks).value_or(0));
    for (const char* key : {"hours", "bytes"}) {
        const auto value = inner.number(key);
        if (value && *value <= 0.0) {
            inner.fail(key, inner.find(key), "must be > 0, got " + show(*value));
        }
    }
    limits.set_hours(inner.number("hours").value_or(0.0));
    limits.set_bytes(inner.number("bytes").value_or(0.0));
}

void check_words(const Axis& axis, std::vector<Violation>& broken) {
    std::map<std::string, std::size_t> first;
    for (std::size_t k = 0; k < axis.values.size(); ++k) {
        const std::string& word = axis.values[k].word;
        if (word.empty()) {
            continue;  // rows say so
        }
        const auto [at, fresh] = first.try_emplace(word, k);
        if (!fresh) {
            broken.push_back({axis.field, "line " + std::to_string(axis.line) +
                                              ": values must have names of their own, got " +
                                              quote(word) + " for value " +
                                              std::to_string(at->second) + " and value " +
                                              std::to_string(k)});
        }
    }
}

/// Checks the rules between axes: unique names, no key set twice, and equally many values in axes
/// that vary together.
void check_axes(const std::vector<Axis>& axes, std::vector<Violation>& broken) {
    constexpr std::size_t kMostAxes = 16;
    if (axes.size() > kMostAxes) {
        broken.push_back({"vary", "must have at most " + std::to_string(kMostAxes) + " axes, got " +
                                      std::to_string(axes.size())});
    }
    std::map<std::string, const Axis*> names, keys, groups;
    const auto fail = [&](const Axis& axis, const std::string& key, const std::string& message) {
        broken.push_back(
            {axis.field + "." + key, "line " + std::to_string(axis.line) + ": " + message});
    };
    for (const Axis& axis : axes) {
        if (!axis.name.empty() && !is_name(axis.name)) {
            fail(axis, "name", std::string(kNameRule) + ", got " + quote(axis.name));
        } else if (std::ranges::find(taken_names(), axis.name) != taken_names().end()) {
            fail(axis, "name", "must not be " + quote(axis.name) + ": the index has one");
        }
        if (const auto [at, fresh] = names.try_emplace(axis.name, &axis); !fresh) {
            fail(axis, "name",
                 "must be unique, got " + quote(axis.name) + " as in " + at->second->field);
        }
        for (const std::string& key : axis.keys) {
            if (const auto [at, fresh] = keys.try_emplace(key, &axis); !fresh) {
                fail(axis, "key", quote(key) + " is set by " + at->second->field + " already");
            }
        }
        check_words(axis, broken);
        if (axis.along.empty()) {
            continue;
        }
        if (!is_name(axis.along)) {
            fail(axis, "along", "must be a name as an axis has, got " + quote(axis.along));
        }
        const auto [at, fresh] = groups.try_emplace(axis.along, &axis);
        if (!fresh && at->second->values.size() != axis.values.size()) {
            fail(axis, "along",
                 "axes along " + quote(axis.along) + " must have as many values: " + axis.name +
                     " has " + std::to_string(axis.values.size()) + ", " + at->second->name +
                     " has " + std::to_string(at->second->values.size()));
        }
    }
    for (const Axis& axis : axes) {
        if (const auto at = names.find(axis.along);
            !axis.along.empty() && at != names.end() && at->second->along != axis.along) {
            fail(axis, "along",
                 quote(axis.along) + " is the name of " + at->second->field + ", which is crossed");
        }
    }
}

}  // namespace

CampaignFile read_campaign(const std::string& path) {
    const fs::path source = fs::absolute(path).lexically_normal();
    const YAML::Node root = parse(path);
    std::vector<Violation> broken;
    const YamlFields fields(root, "", broken);
    fields.expect_keys({"schema", "name", "description", "base", "vary", "limits", "priority"});
    CampaignFile campaign;
    const std::string schema = fields.text("schema");
    if (schema != kCampaignSchema) {
        fields.fail("schema", std::string("must be ") + kCampaignSchema + ", got " + quote(schema));
    }
    campaign.name = fields.text("name");
    if (!is_name(campaign.name)) {
        fields.fail("name", std::string(kNameRule) + ", got " + quote(campaign.name));
    }
    campaign.priority = static_cast<int>(fields.whole("priority", -100, 100).value_or(0));
    read_base(fields, source, campaign);
    read_limits(fields, campaign.limits);
    const YAML::Node vary = fields.find("vary");
    if (!vary.IsDefined() || !vary.IsSequence() || vary.size() == 0) {
        fields.fail("vary", "must be a list of at least one axis");
    } else {
        int index = 0;
        for (const YAML::Node& entry : vary) {
            const std::string field = element("vary", index++);
            if (!entry.IsMap()) {
                broken.push_back({field, "line " + std::to_string(entry.Mark().line + 1) +
                                             ": expected a mapping with name, key and values"});
                continue;
            }
            campaign.axes.push_back(read_axis(YamlFields(entry, field, broken), source));
        }
    }
    check_axes(campaign.axes, broken);
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return campaign;
}

std::string YamlFields::path_of(const std::string& key) const {
    return key.empty() || field_.empty() ? field_ + key : field_ + "." + key;
}

void YamlFields::fail(const std::string& key, const YAML::Node& at,
                      const std::string& message) const {
    broken_.push_back(
        {path_of(key), "line " + std::to_string(at.Mark().line + 1) + ": " + message});
}

void YamlFields::fail(const std::string& key, const std::string& message) const {
    fail(key, mapping_, message);
}

void YamlFields::expect_keys(const std::vector<std::string>& known) const {
    std::set<std::string> seen;
    for (const auto& entry : mapping_) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
        if (std::ranges::find(known, key) == known.end()) {
            const std::string near = nearest(key, known);
            fail(key, entry.first,
                 "unknown key " + quote(key) +
                     (near.empty() ? "; known here: " + join_or(known)
                                   : "; did you mean " + near + "?"));
        } else if (!seen.insert(key).second) {
            fail(key, entry.first, "key is given twice");
        }
    }
}

YAML::Node YamlFields::find(const std::string& key) const {
    for (const auto& entry : mapping_) {
        if (entry.first.IsScalar() && entry.first.Scalar() == key) {
            return entry.second;
        }
    }
    return YAML::Node(YAML::NodeType::Undefined);
}

std::string YamlFields::text(const std::string& key) const {
    const YAML::Node node = find(key);
    if (!node.IsDefined()) {
        return "";
    }
    if (!node.IsScalar() || node.Scalar().empty()) {
        fail(key, node, "expected a text");
        return "";
    }
    return node.Scalar();
}

std::optional<double> YamlFields::number(const std::string& key) const {
    const YAML::Node node = find(key);
    if (!node.IsDefined()) {
        return std::nullopt;
    }
    const auto value = node.IsScalar() ? parse_number(node.Scalar()) : std::nullopt;
    if (!value || !std::isfinite(*value)) {
        fail(key, node, "expected a finite number");
        return std::nullopt;
    }
    return value;
}

std::optional<std::int64_t> YamlFields::whole(const std::string& key, std::int64_t low,
                                              std::int64_t high) const {
    const auto value = number(key);
    if (!value) {
        return std::nullopt;
    }
    if (*value != std::floor(*value) || *value < static_cast<double>(low) ||
        *value > static_cast<double>(high)) {
        fail(key, find(key),
             "must be a whole number in " + std::to_string(low) + ".." + std::to_string(high) +
                 ", got " + show(*value));
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*value);
}

}  // namespace kaname::request
