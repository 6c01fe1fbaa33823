// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/yaml_value.hpp"

#include <charconv>
#include <optional>

#include <google/protobuf/descriptor.h>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"

namespace kaname::request {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// "materials[mantle]" of a path.
struct Step {
    std::string key;
    std::optional<std::string> entry;
};

/// nullopt: no path. Names of entries may hold dots.
std::optional<std::vector<Step>> steps_of(const std::string& path) {
    std::vector<Step> steps;
    std::size_t at = 0;
    while (true) {
        const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
        Step step{path.substr(at, end - at), std::nullopt};
        at = end;
        if (at < path.size() && path[at] == '[') {
            const std::size_t close = path.find(']', at);
            if (close == std::string::npos) {
                return std::nullopt;
            }
            step.entry = path.substr(at + 1, close - at - 1);
            at = close + 1;
        }
        if (step.key.empty() || (step.entry && step.entry->empty())) {
            return std::nullopt;
        }
        steps.push_back(std::move(step));
        if (at == path.size()) {
            return steps;
        }
        if (path[at++] != '.') {
            return std::nullopt;
        }
    }
}

const FieldDescriptor* field_of(const Descriptor& type, const std::string& key) {
    for (int index = 0; index < type.field_count(); ++index) {
        for (const QuantityName& name : quantity_names(type.field(index)->name())) {
            if (name.name == key) {
                return type.field(index);
            }
        }
    }
    return nullptr;
}

std::string known_keys(const Descriptor& type) {
    std::vector<std::string> names;
    for (int index = 0; index < type.field_count(); ++index) {
        for (const QuantityName& name : quantity_names(type.field(index)->name())) {
            names.push_back(name.name);
        }
    }
    return join_or(names);
}

std::string unknown_key(const Descriptor& type, const std::string& key) {
    std::vector<std::string> names;
    for (int index = 0; index < type.field_count(); ++index) {
        for (const QuantityName& name : quantity_names(type.field(index)->name())) {
            names.push_back(name.name);
        }
    }
    if (const std::string axes = cmt_axes(key); !axes.empty() && type.name() == "MomentTensor") {
        return "unknown key " + quote(key) + "; " + axes;
    }
    const std::string near = nearest(key, names);
    return "unknown key " + quote(key) +
           (near.empty() ? "; known there: " + known_keys(type) : "; did you mean " + near + "?");
}

/// Index of the list's entry that `text` names, or -1.
int entry_of(const Message& message, const FieldDescriptor& list, const std::string& text) {
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &list);
    int index = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size()) {
        return index >= 0 && index < size ? index : -1;
    }
    for (const char* label : {"name", "id"}) {
        const FieldDescriptor* name = list.message_type()->FindFieldByName(label);
        if (name == nullptr || name->cpp_type() != FieldDescriptor::CPPTYPE_STRING ||
            name->is_repeated()) {
            continue;
        }
        for (int entry = 0; entry < size; ++entry) {
            const Message& inner = reflection.GetRepeatedMessage(message, &list, entry);
            if (inner.GetReflection()->GetString(inner, name) == text) {
                return entry;
            }
        }
    }
    return -1;
}

void forget(const std::string& field, YamlReading& reading) {
    std::erase_if(reading.places, [&](const auto& place) {
        const std::string& name = place.first;
        return name.starts_with(field) && (name.size() == field.size() ||
                                           name[field.size()] == '.' || name[field.size()] == '[');
    });
}

class Setter {
public:
    Setter(const std::string& path, const YamlValue& value, YamlReading& reading)
        : path_(path), value_(value), reading_(reading) {}

    void set(Message& into) {
        const auto steps = steps_of(path_);
        if (!steps) {
            reject("must be keys with dots between, and entries of lists in brackets");
            return;
        }
        Message* at = &into;
        for (std::size_t k = 0; at != nullptr && k < steps->size(); ++k) {
            const Step& step = (*steps)[k];
            const FieldDescriptor* field = field_of(*at->GetDescriptor(), step.key);
            if (field == nullptr) {
                reject(unknown_key(*at->GetDescriptor(), step.key));
                return;
            }
            const bool last = k + 1 == steps->size();
            if (last && !step.entry) {
                put(*at, *field, step.key);
                return;
            }
            at = enter(*at, *field, step);
            if (at != nullptr && last) {
                replace(*at);
            }
        }
    }

private:
    void reject(const std::string& message) {
        reading_.violations.push_back({path_, where() + message});
        reading_.unread.insert(path_);
    }
    [[nodiscard]] std::string where() const {
        return value_.file + ": line " + std::to_string(value_.line) + ": ";
    }

    Message* enter(Message& message, const FieldDescriptor& field, const Step& step) {
        const bool of_messages = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
        if (!of_messages) {
            reject(quote(step.key) + (step.entry ? " has no entries with keys; set all of it"
                                                 : " is a value and has no keys"));
            return nullptr;
        }
        if (field.is_repeated() != step.entry.has_value()) {
            reject(quote(step.key) + (step.entry ? " is no list"
                                                 : " is a list: name an entry, as in " + step.key +
                                                       "[0] or " + step.key + "[NAME]"));
            return nullptr;
        }
        const Reflection& reflection = *message.GetReflection();
        field_ += (field_.empty() ? "" : ".") + field.name();
        if (!step.entry) {
            return reflection.MutableMessage(&message, &field);
        }
        const int index = entry_of(message, field, *step.entry);
        if (index < 0) {
            const int size = reflection.FieldSize(message, &field);
            reject("there is no entry " + quote(*step.entry) + " in " + field_ + ", which has " +
                   std::to_string(size) +
                   (size > 0 ? "; entries are counted from 0: " + step.key + "[0]" : ""));
            return nullptr;
        }
        field_ += "[" + std::to_string(index) + "]";
        return reflection.MutableRepeatedMessage(&message, &field, index);
    }

    /// The whole of one entry of a list.
    void replace(Message& entry) {
        const bool path = value_.node.IsScalar() && entry.GetDescriptor() == v1::File::descriptor();
        if (!path && !value_.node.IsMap()) {
            reject("expected a mapping");
            return;
        }
        entry.Clear();
        forget(field_, reading_);
        YamlReading found;
        if (path) {
            read_yaml_entry("path", value_.node, entry, field_, found);
        } else {
            read_yaml_mapping(value_.node, entry, field_, found);
        }
        merge(std::move(found));
    }

    void put(Message& parent, const FieldDescriptor& field, const std::string& key) {
        forget(field_ + (field_.empty() ? "" : ".") + field.name(), reading_);
        parent.GetReflection()->ClearField(&parent, &field);
        YamlReading found;
        read_yaml_entry(key, value_.node, parent, field_, found);
        merge(std::move(found));
    }

    /// Keys that stand in a path, and values of tables, have no line of their own.
    void merge(YamlReading found) {
        for (Violation& violation : found.violations) {
            constexpr std::string_view kNoLine = "line 0: ";
            std::string& message = violation.message;
            message = message.starts_with(kNoLine) ? where() + message.substr(kNoLine.size())
                                                   : value_.file + ": " + message;
            reading_.violations.push_back(std::move(violation));
        }
        reading_.unread.merge(found.unread);
        for (auto& [name, place] : found.places) {
            place.line = place.line > 0 ? place.line : value_.line;
            place.file = value_.file;
            reading_.places[name] = std::move(place);
        }
    }

    const std::string& path_;
    const YamlValue& value_;
    YamlReading& reading_;
    std::string field_;
};

}  // namespace

void set_yaml_value(const std::string& path, const YamlValue& value, Message& into,
                    YamlReading& reading) {
    Setter(path, value, reading).set(into);
}

}  // namespace kaname::request
