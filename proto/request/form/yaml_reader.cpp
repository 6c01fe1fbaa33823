// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/yaml_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <yaml-cpp/yaml.h>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/form/yaml_value.hpp"
#include "solvers/base/text.hpp"

namespace kaname::request {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

int line_of(const YAML::Node& node) {
    return node.Mark().line + 1;
}

std::string child(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : (path + '.').append(name);
}

std::string what_is(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Scalar:
            return (node.Tag() == "!" ? "text " : "") + quote(node.Scalar());
        case YAML::NodeType::Sequence:
            return "a list";
        case YAML::NodeType::Map:
            return "a mapping";
        default:
            return "nothing";
    }
}

std::string expected_type(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return "a number";
        case FieldDescriptor::CPPTYPE_UINT32:
            return "a whole number in 0..4294967295";
        case FieldDescriptor::CPPTYPE_UINT64:
            return "a whole number in 0..18446744073709551615";
        case FieldDescriptor::CPPTYPE_BOOL:
            return "true or false";
        case FieldDescriptor::CPPTYPE_STRING:
            return "a text";
        default:
            return "a mapping";
    }
}

/// "buried" for TOP_BURIED of enum Top: the values' common prefix is the enum's name.
std::string short_name(const EnumValueDescriptor& value) {
    std::string name = value.name();
    const std::string prefix = value.type()->name() + "_";
    name.erase(0, prefix.size());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

/// The field that a plain scalar stands for, where a message has such a short form.
const FieldDescriptor* short_form(const Descriptor& type) {
    if (&type == v1::File::descriptor()) {
        return type.FindFieldByName("path");
    }
    if (&type == v1::BoundarySide::descriptor()) {
        return type.FindFieldByName("kind");
    }
    if (&type == v1::MeshSurface::descriptor()) {
        return type.FindFieldByName("name");
    }
    return nullptr;
}

/// The field that a mapping under a number's key stands for: viscosity_range_pa_s of
/// viscosity_pa_s.
const FieldDescriptor* range_of(const Descriptor& type, const FieldDescriptor& number) {
    for (int index = 0; index < type.field_count(); ++index) {
        const FieldDescriptor* field = type.field(index);
        std::string name = field->name();
        const std::size_t at = name.find("_range");
        if (field->message_type() == v1::ViscosityRange::descriptor() && at != std::string::npos &&
            name.erase(at, 6) == number.name()) {
            return field;
        }
    }
    return nullptr;
}

struct KeyMatch {
    const FieldDescriptor* field = nullptr;
    double factor = 1.0;
};

class Reader {
public:
    explicit Reader(YamlReading& out) : out_(out) {}

    using Seen = std::map<const FieldDescriptor*, std::string>;

    void read_mapping(const YAML::Node& node, Message& message, const std::string& path);
    /// `seen` are the keys of this mapping that came before.
    void read_entry(const YAML::Node& key, const YAML::Node& value, Message& message,
                    const std::string& path, Seen& seen);

private:
    void fail(const std::string& path, const YAML::Node& at, const std::string& message) {
        out_.violations.push_back({path, "line " + std::to_string(line_of(at)) + ": " + message});
        out_.unread.insert(path);
    }
    void wrong_type(const std::string& path, const YAML::Node& node, const std::string& expected) {
        fail(path, node, "expected " + expected + ", got " + what_is(node));
    }
    void unknown_key(const Descriptor& type, const YAML::Node& key, const std::string& path);
    void read_list(const YAML::Node& node, Message& message, const KeyMatch& match,
                   const std::string& path);
    void read_value(const YAML::Node& node, Message& message, const KeyMatch& match,
                    const std::string& path);
    void read_message(const YAML::Node& node, Message& message, const std::string& path);
    std::optional<double> read_number(const YAML::Node& node, double factor,
                                      const std::string& path);
    template <class Whole>
    std::optional<Whole> read_whole(const YAML::Node& node, const FieldDescriptor& field,
                                    const std::string& path);
    void read_enum(const YAML::Node& node, Message& message, const FieldDescriptor& field,
                   const std::string& path);

    YamlReading& out_;
};

KeyMatch match_key(const Descriptor& type, const std::string& key) {
    for (int index = 0; index < type.field_count(); ++index) {
        for (const QuantityName& name : quantity_names(type.field(index)->name())) {
            if (name.name == key) {
                return {type.field(index), name.factor};
            }
        }
    }
    return {};
}

std::vector<std::string> names_of(const FieldDescriptor& field) {
    std::vector<std::string> names;
    for (const QuantityName& name : quantity_names(field.name())) {
        names.push_back(name.name);
    }
    return names;
}

/// Returns what is to be written in place of a key that no field has and none is near to: one with
/// its value in it, or a quantity that has another name here. Empty where nothing is known of it.
std::string key_hint(const std::string& text, const Descriptor& type) {
    for (const char* parted : {":", "=", "\xC2\xA0"}) {
        const std::size_t at = text.find(parted);
        const std::string key(trim(text.substr(0, std::min(at, text.size()))));
        if (at != std::string::npos && match_key(type, key).field != nullptr) {
            return "a key and its value are parted by a colon and a blank, as in " + key + ": 1";
        }
    }
    if (std::string axes = cmt_axes(text); type.name() == "MomentTensor") {
        return axes;
    }
    return type.name() == "Material" ? material_hint(text) : "";
}

/// Says where the tables of such messages stand, for a path in their place.
std::string table_hint(const Descriptor& type) {
    if (type.FindFieldByName("files") != nullptr) {
        return " (a file of them stands in {files: FILE.csv})";
    }
    if (type.name() == "Station") {
        return " (files of them stand in stations.files: [FILE.csv])";
    }
    return type.name() == "WaveReceiver" ? " (files of them stand in receiver_files: [FILE.csv])"
                                         : "";
}

void Reader::unknown_key(const Descriptor& type, const YAML::Node& key, const std::string& path) {
    const std::string text = key.Scalar();
    if (type.IsReservedName(text)) {
        fail(child(path, text), key, "this option was removed: it had no effect; delete it");
        return;
    }
    std::string message = "unknown key " + quote(text);
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        fail(child(path, text), key,
             message + "; decimals are written with a point, not with a comma");
        return;
    }
    if (const std::string hint = key_hint(text, type); !hint.empty()) {
        fail(child(path, text), key, message + "; " + hint);
        const std::string parted(trim(text.substr(0, text.find_first_of(":=\xC2"))));
        if (const FieldDescriptor* field = match_key(type, parted).field) {
            out_.unread.insert(child(path, field->name()));
        }
        // Such a key stands for what is not missing then.
        const bool stiffness = type.name() == "Material";
        for (const char* name : {"lambda_pa", "mu_pa", "vp_m_per_s", "vs_m_per_s"}) {
            if (stiffness) {
                out_.unread.insert(child(path, name));
            }
        }
        return;
    }
    std::vector<std::string> all;
    for (int index = 0; index < type.field_count(); ++index) {
        const FieldDescriptor& field = *type.field(index);
        const std::vector<std::string> names = names_of(field);
        const std::string_view bare = without_unit(field.name());
        // Right quantity without its unit, or with one that is not known.
        if (bare != field.name() && text.starts_with(bare) &&
            (text.size() == bare.size() || text[bare.size()] == '_')) {
            fail(child(path, text), key, message + "; did you mean " + join_or(names) + "?");
            out_.unread.insert(child(path, field.name()));
            return;
        }
        all.insert(all.end(), names.begin(), names.end());
    }
    if (const std::string near = nearest(text, all); !near.empty()) {
        message += "; did you mean " + near + "?";
        const std::string meant = match_key(type, near).field->name();
        out_.unread.insert(child(path, meant));
        if (meant == "magnitude" || meant == "top_centre") {  // each in place of others
            for (const char* other : {"slip_m", "moment_n_m", "lon_deg", "lat_deg", "depth_m"}) {
                out_.unread.insert(child(path, other));
            }
        }
    } else {
        std::vector<std::string> fields;
        for (int index = 0; index < type.field_count(); ++index) {
            fields.push_back(type.field(index)->name());
        }
        message += "; known here: " + join_or(fields);
    }
    fail(child(path, text), key, message);
}

void Reader::read_mapping(const YAML::Node& node, Message& message, const std::string& path) {
    Seen seen;
    for (const auto& entry : node) {
        read_entry(entry.first, entry.second, message, path, seen);
    }
}

void Reader::read_entry(const YAML::Node& key, const YAML::Node& value, Message& message,
                        const std::string& path, Seen& seen) {
    const Descriptor& type = *message.GetDescriptor();
    if (!key.IsScalar()) {
        fail(path.empty() ? "top level" : path, key,
             "expected a field name as key, got " + what_is(key));
        return;
    }
    const std::string& text = key.Scalar();
    KeyMatch match = match_key(type, text);
    if (match.field == nullptr) {
        unknown_key(type, key, path);
        return;
    }
    if (value.IsMap() && match.factor == 1.0) {
        if (const FieldDescriptor* range = range_of(type, *match.field)) {
            match.field = range;
        }
    }
    const std::string field_path = child(path, match.field->name());
    if (const auto [earlier, fresh] = seen.try_emplace(match.field, text); !fresh) {
        fail(child(path, text), key,
             earlier->second == text ? "key is given twice"
                                     : "gives the same as " + earlier->second + "; keep one");
        return;
    }
    if (const auto* choice = match.field->real_containing_oneof()) {
        const auto other = std::find_if(seen.begin(), seen.end(), [&](const auto& given) {
            return given.first != match.field && given.first->containing_oneof() == choice;
        });
        if (other != seen.end()) {
            fail(field_path, key, "excludes " + other->second + "; keep one");
            return;
        }
    }
    out_.places[field_path] = {line_of(key), text, match.factor};
    const std::string value_path = child(path, text);
    if (value.IsNull()) {
        fail(value_path, key,
             "has no value; give " + expected_type(*match.field) + " or remove the key");
        out_.unread.insert(field_path);
    } else if (match.field->is_repeated()) {
        read_list(value, message, match, field_path);
    } else {
        read_value(value, message, match, field_path);
    }
}

void Reader::read_list(const YAML::Node& node, Message& message, const KeyMatch& match,
                       const std::string& path) {
    const bool of_messages = match.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (node.IsScalar() && !of_messages) {
        read_value(node, message, match, path);
        return;
    }
    if (node.IsScalar() && short_form(*match.field->message_type()) != nullptr) {
        const std::string item_path = path + "[0]";
        out_.places[item_path] = {line_of(node), "", 1.0};
        read_value(node, message, match, item_path);
        return;
    }
    if (!node.IsSequence()) {
        wrong_type(path, node,
                   "a list" + (of_messages ? table_hint(*match.field->message_type()) : ""));
        return;
    }
    std::size_t index = 0;
    for (const YAML::Node& item : node) {
        const std::string item_path = path + "[" + std::to_string(index++) + "]";
        // Entries are named by their list's key where it says the unit.
        const std::string key = match.factor == 1.0 ? "" : out_.places[path].key;
        out_.places[item_path] = {line_of(item), key, match.factor};
        read_value(item, message, match, item_path);
    }
}

void Reader::read_message(const YAML::Node& node, Message& message, const std::string& path) {
    const FieldDescriptor* plain = short_form(*message.GetDescriptor());
    if (plain != nullptr && node.IsScalar()) {
        read_value(node, message, {plain, 1.0}, path);
    } else if (node.IsMap()) {
        read_mapping(node, message, path);
    } else {
        wrong_type(path, node,
                   plain != nullptr ? "a text or a mapping"
                                    : "a mapping" + table_hint(*message.GetDescriptor()));
    }
}

std::optional<double> Reader::read_number(const YAML::Node& node, double factor,
                                          const std::string& path) {
    const std::string& text = node.Scalar();
    // Quotes do not matter: PyYAML reads 1e19 as a text and writes it as one, '1e19'.
    if (const std::optional<double> number = parse_number(text)) {
        if (std::isfinite(*number * factor)) {
            return *number * factor;
        }
        fail(path, node, "must be finite, got " + text);
        return std::nullopt;
    }
    if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan" || text == ".NaN") {
        fail(path, node, "must be finite, got " + text);
    } else {
        fail(path, node,
             "expected a number (its unit is part of the key), got " + what_is(node) +
                 number_hint(text, path));
    }
    return std::nullopt;
}

template <class Whole>
std::optional<Whole> Reader::read_whole(const YAML::Node& node, const FieldDescriptor& field,
                                        const std::string& path) {
    const std::string& text = node.Scalar();
    Whole value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end) {
        return value;
    }
    // Languages that have no whole numbers write them as 200.0 or 1e+06.
    const std::optional<double> number = parse_number(text);
    if (!number || *number != std::floor(*number) || *number < 0 ||
        *number >= std::ldexp(1.0, std::numeric_limits<Whole>::digits)) {
        wrong_type(path, node, expected_type(field));
        return std::nullopt;
    }
    return static_cast<Whole>(*number);
}

void Reader::read_enum(const YAML::Node& node, Message& message, const FieldDescriptor& field,
                       const std::string& path) {
    const EnumDescriptor& type = *field.enum_type();
    std::vector<std::string> words;
    for (int index = 0; index < type.value_count(); ++index) {
        const EnumValueDescriptor& value = *type.value(index);
        if (value.number() == 0) {
            continue;  // "unspecified" is said by leaving the key out
        }
        words.push_back(short_name(value));
        if (node.Scalar() == words.back() || node.Scalar() == value.name()) {
            message.GetReflection()->SetEnum(&message, &field, &value);
            return;
        }
    }
    wrong_type(path, node, join_or(words));
}

void Reader::read_value(const YAML::Node& node, Message& message, const KeyMatch& match,
                        const std::string& path) {
    const FieldDescriptor& field = *match.field;
    const Reflection& reflection = *message.GetReflection();
    const bool repeated = field.is_repeated();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        // An element that cannot be read still takes its place: later indices stay right.
        Message& inner = repeated ? *reflection.AddMessage(&message, &field)
                                  : *reflection.MutableMessage(&message, &field);
        read_message(node, inner, path);
        return;
    }
    if (!node.IsScalar()) {
        wrong_type(path, node, expected_type(field));
        return;
    }
    const std::string& text = node.Scalar();
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            if (const std::optional<double> value = read_number(node, match.factor, path)) {
                repeated ? reflection.AddDouble(&message, &field, *value)
                         : reflection.SetDouble(&message, &field, *value);
            }
            break;
        case FieldDescriptor::CPPTYPE_UINT32:
            if (const auto value = read_whole<std::uint32_t>(node, field, path)) {
                repeated ? reflection.AddUInt32(&message, &field, *value)
                         : reflection.SetUInt32(&message, &field, *value);
            }
            break;
        case FieldDescriptor::CPPTYPE_UINT64:
            if (const auto value = read_whole<std::uint64_t>(node, field, path)) {
                repeated ? reflection.AddUInt64(&message, &field, *value)
                         : reflection.SetUInt64(&message, &field, *value);
            }
            break;
        case FieldDescriptor::CPPTYPE_BOOL:
            // The three spellings of YAML's core schema; writers of R and of Python use others.
            if (const bool yes = text == "true" || text == "True" || text == "TRUE";
                !yes && text != "false" && text != "False" && text != "FALSE") {
                wrong_type(path, node, expected_type(field));
            } else {
                repeated ? reflection.AddBool(&message, &field, yes)
                         : reflection.SetBool(&message, &field, yes);
            }
            break;
        case FieldDescriptor::CPPTYPE_STRING:
            if (!is_utf8(text) || text.find('\0') != std::string::npos) {
                fail(path, node, "is not text in UTF-8");
            } else {
                repeated ? reflection.AddString(&message, &field, text)
                         : reflection.SetString(&message, &field, text);
            }
            break;
        case FieldDescriptor::CPPTYPE_ENUM:
            read_enum(node, message, field, path);
            break;
        default:
            throw Error(ErrorCode::Internal, "YAML reader knows no type of " + field.full_name());
    }
}

}  // namespace

YamlReading scan_yaml(std::string_view text, const std::string& source, Message& into) {
    check_text(text, source);
    const YAML::Node document = only_document(text, source);
    if (!document.IsMap()) {
        throw Error(ErrorCode::InvalidArgument, "file '" + source +
                                                    "' is not a request: expected a mapping "
                                                    "of fields (schema: ...), got " +
                                                    what_is(document));
    }
    YamlReading reading;
    Reader(reading).read_mapping(document, into, "");
    return reading;
}

void read_yaml_mapping(const YAML::Node& node, Message& into, const std::string& path,
                       YamlReading& reading) {
    Reader(reading).read_mapping(node, into, path);
}

void read_yaml_entry(const std::string& key, const YAML::Node& value, Message& into,
                     const std::string& path, YamlReading& reading) {
    Reader::Seen seen;
    Reader(reading).read_entry(YAML::Node(key), value, into, path, seen);
}

}  // namespace kaname::request
