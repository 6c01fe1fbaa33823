// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/yaml_places.hpp"

#include <algorithm>
#include <iterator>

namespace kaname::spec {
namespace {

bool is_within(const std::string& field, const std::string& ancestor) {
    return field.starts_with(ancestor) &&
           (field.size() == ancestor.size() || field[ancestor.size()] == '.' ||
            field[ancestor.size()] == '[');
}

}  // namespace

std::vector<Violation> relate_to_yaml(std::vector<Violation> broken, const YamlReading& yaml) {
    std::erase_if(broken, [&](const Violation& violation) {
        return std::any_of(yaml.unread.begin(), yaml.unread.end(), [&](const std::string& unread) {
            return is_within(violation.field, unread) || is_within(unread, violation.field);
        });
    });
    for (Violation& violation : broken) {
        const auto place = yaml.places.find(violation.field);
        if (place == yaml.places.end()) {
            continue;
        }
        const std::string& key = place->second.key;
        const bool renamed = !key.empty() && !violation.field.ends_with(key);
        violation.message += (renamed ? " (" + key + " in line " : " (line ") +
                             std::to_string(place->second.line) +
                             (place->second.file.empty() ? ")" : " of " + place->second.file + ")");
    }
    return broken;
}

void throw_if_broken(std::vector<Violation> broken, YamlReading reading) {
    std::vector<Violation> related = relate_to_yaml(std::move(broken), reading);
    std::vector<Violation> all = std::move(reading.violations);
    std::move(related.begin(), related.end(), std::back_inserter(all));
    if (!all.empty()) {
        throw ValidationError(std::move(all));
    }
}

UnitFactor unit_factor_of(const YamlReading& yaml) {
    return [&yaml](const std::string& field) {
        const auto place = yaml.places.find(field);
        return place == yaml.places.end() ? 1.0 : place->second.factor;
    };
}

}  // namespace kaname::spec
