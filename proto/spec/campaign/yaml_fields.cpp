// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/campaign/yaml_fields.hpp"

#include <algorithm>
#include <cmath>

#include "proto/spec/form/text.hpp"

namespace kaname::spec {

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

}  // namespace kaname::spec
