// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/field_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string below(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
}

bool is_number(const FieldDescriptor& field) {
    return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
           field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
           field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
}

bool is_file(const FieldDescriptor& field) {
    return field.message_type() == v1::File::descriptor();
}

/// Returns true if nothing was given: no element, no text, no path of a file, 0 of a number that
/// need not be there.
bool is_absent(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_repeated()) {
        return reflection.FieldSize(message, &field) == 0;
    }
    if (is_file(field)) {
        return static_cast<const v1::File&>(reflection.GetMessage(message, &field)).path().empty();
    }
    if (!reflection.HasField(message, &field)) {
        return true;
    }
    return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field.has_presence() &&
           reflection.GetString(message, &field).empty();
}

/// Returns true if 0 or an empty text means that the field is absent.
bool may_be_absent(const FieldDescriptor& field, const v1::FieldRule& rule) {
    return field.is_repeated() || field.has_presence() || !rule.default_().empty() ||
           !rule.if_absent().empty() || !rule.with().empty() || !rule.without().empty();
}

const FieldDescriptor& field_named(const Descriptor& type, const std::string& name) {
    const FieldDescriptor* field = type.FindFieldByName(name);
    if (field == nullptr) {
        throw Error(ErrorCode::Internal, type.full_name() + " has no field " + name);
    }
    return *field;
}

/// Returns true if the fields that this one belongs to, or stands in place of, leave it room.
bool has_room(const Message& message, const v1::FieldRule& rule) {
    const Descriptor& type = *message.GetDescriptor();
    return (rule.with().empty() || !is_absent(message, field_named(type, rule.with()))) &&
           (rule.without().empty() || is_absent(message, field_named(type, rule.without())));
}

void set_default(Message& message, const FieldDescriptor& field, const std::string& text) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            reflection.SetDouble(&message, &field, parse_number(text).value());
            return;
        case FieldDescriptor::CPPTYPE_UINT32:
            reflection.SetUInt32(&message, &field,
                                 static_cast<std::uint32_t>(parse_number(text).value()));
            return;
        case FieldDescriptor::CPPTYPE_UINT64:
            reflection.SetUInt64(&message, &field,
                                 static_cast<std::uint64_t>(parse_number(text).value()));
            return;
        case FieldDescriptor::CPPTYPE_BOOL:
            reflection.SetBool(&message, &field, text == "true");
            return;
        case FieldDescriptor::CPPTYPE_STRING:
            reflection.SetString(&message, &field, text);
            return;
        default:
            throw Error(ErrorCode::Internal, "no default is known for " + field.full_name());
    }
}

double number_at(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& reflection = *message.GetReflection();
    const bool list = field.is_repeated();
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return list ? reflection.GetRepeatedDouble(message, &field, index)
                        : reflection.GetDouble(message, &field);
        case FieldDescriptor::CPPTYPE_UINT32:
            return list ? reflection.GetRepeatedUInt32(message, &field, index)
                        : reflection.GetUInt32(message, &field);
        default:
            return static_cast<double>(list ? reflection.GetRepeatedUInt64(message, &field, index)
                                            : reflection.GetUInt64(message, &field));
    }
}

bool has_limits(const v1::FieldRule& rule) {
    return rule.has_above() || rule.has_at_least() || rule.has_at_most() || rule.has_below();
}

bool is_in_range(const v1::FieldRule& rule, double value) {
    return !(rule.has_above() && value <= rule.above()) &&
           !(rule.has_at_least() && value < rule.at_least()) &&
           !(rule.has_at_most() && value > rule.at_most()) &&
           !(rule.has_below() && value >= rule.below());
}

void tell_range(const FieldDescriptor& field, double value, const std::string& path, Rules& rules) {
    const bool real = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    const auto shown = [&](double number) {
        return real ? rules.in_unit_of(path, number)
                    : std::to_string(static_cast<std::uint64_t>(number));
    };
    rules.fail(path, "must be " + range_text(rule_of(field), shown) + ", got " + shown(value));
}

/// The walk over a message: what it finds is told, unless that field was complained of before.
class Walk {
public:
    explicit Walk(Rules& rules) : rules_(rules), told_(rules.size()) {}

    void check(const Message& message, const std::string& path) {
        const Descriptor& type = *message.GetDescriptor();
        for (int k = 0; k < type.field_count(); ++k) {
            check_field(message, *type.field(k), path);
        }
    }

private:
    void tell(const std::string& path, const std::string& message) {
        if (!rules_.has_told(path, told_)) {
            rules_.fail(path, message);
        }
    }

    void check_field(const Message& message, const FieldDescriptor& field,
                     const std::string& path) {
        const Reflection& reflection = *message.GetReflection();
        const v1::FieldRule& rule = rule_of(field);
        if (is_absent(message, field)) {
            if (rule.required() && has_room(message, rule)) {
                tell(below(path, field.name()), "must be given");
            } else if (!may_be_absent(field, rule)) {
                check_value(message, field, rule, 0, below(path, field.name()));
            } else if (rule.filled()) {
                check(reflection.GetMessage(message, &field), below(path, field.name()));
            }
            return;
        }
        const std::string name = below(path, field.name());
        if (!has_room(message, rule)) {
            const bool with =
                !rule.with().empty() &&
                is_absent(message, field_named(*message.GetDescriptor(), rule.with()));
            tell(name, with ? "must be left out without " + below(path, rule.with())
                            : "must be left out beside " + below(path, rule.without()));
            return;
        }
        if (!field.is_repeated()) {
            check_value(message, field, rule, 0, name);
            return;
        }
        const bool limited = !is_number(field) || has_limits(rule);
        for (int index = 0; limited && index < reflection.FieldSize(message, &field); ++index) {
            check_value(message, field, rule, index, element(name, index));
        }
        if (rule.distinct()) {
            check_distinct(message, field, name);
        }
    }

    void check_value(const Message& message, const FieldDescriptor& field,
                     const v1::FieldRule& rule, int index, const std::string& path) {
        const Reflection& reflection = *message.GetReflection();
        const bool list = field.is_repeated();
        if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            check(list ? reflection.GetRepeatedMessage(message, &field, index)
                       : reflection.GetMessage(message, &field),
                  path);
        } else if (is_number(field)) {
            const double number = number_at(message, field, index);
            if (std::isfinite(number) && !is_in_range(rule, number) &&
                !rules_.has_told(path, told_)) {
                tell_range(field, number, path, rules_);
            }
        } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && !rule.choices().empty() &&
                   !rules_.has_told(path, told_)) {
            rules_.one_of(path,
                          list ? reflection.GetRepeatedString(message, &field, index)
                               : reflection.GetString(message, &field),
                          {rule.choices().begin(), rule.choices().end()});
        }
    }

    void check_distinct(const Message& message, const FieldDescriptor& field,
                        const std::string& name) {
        std::set<std::string> seen;
        for (int index = 0; index < message.GetReflection()->FieldSize(message, &field); ++index) {
            const std::string word =
                message.GetReflection()->GetRepeatedString(message, &field, index);
            if (!seen.insert(word).second) {
                tell(element(name, index), "must be named once, got " + quote(word) + " again");
            }
        }
    }

    Rules& rules_;
    std::size_t told_;
};

/// Returns where a field stands in the message: the index of each part of its path. Parts that are
/// no field come last.
std::vector<int> place_of(const Descriptor* type, std::string_view path) {
    std::vector<int> place;
    while (!path.empty()) {
        const std::string name(path.substr(0, path.find_first_of(".[")));
        const FieldDescriptor* field = type == nullptr ? nullptr : type->FindFieldByName(name);
        place.push_back(field == nullptr ? std::numeric_limits<int>::max() : field->index());
        type = field == nullptr ? nullptr : field->message_type();
        path.remove_prefix(name.size());
        if (path.starts_with('[')) {
            const std::size_t end = std::min(path.find(']'), path.size() - 1);
            place.push_back(static_cast<int>(
                parse_number(path.substr(1, end - 1)).value_or(std::numeric_limits<int>::max())));
            path.remove_prefix(end + 1);
        }
        if (path.starts_with('.')) {
            path.remove_prefix(1);
        }
    }
    return place;
}

}  // namespace

const v1::FieldRule& rule_of(const FieldDescriptor& field) {
    return field.options().GetExtension(v1::rule);
}

std::vector<std::string> choices_of(const Descriptor& type, const std::string& name) {
    const auto& choices = rule_of(field_named(type, name)).choices();
    return {choices.begin(), choices.end()};
}

bool must_be_given(const FieldDescriptor& field) {
    const v1::FieldRule& rule = rule_of(field);
    const bool open = !may_be_absent(field, rule);
    return rule.required() || (open && is_number(field) && !is_in_range(rule, 0.0)) ||
           (open && !rule.choices().empty());
}

std::string range_text(const v1::FieldRule& rule, const std::function<std::string(double)>& shown) {
    if (rule.has_at_least() && rule.has_at_most()) {
        return "in " + shown(rule.at_least()) + ".." + shown(rule.at_most());
    }
    std::string low, high;
    if (rule.has_above()) {
        low = "> " + shown(rule.above());
    } else if (rule.has_at_least()) {
        low = ">= " + shown(rule.at_least());
    }
    if (rule.has_below()) {
        high = "< " + shown(rule.below());
    } else if (rule.has_at_most()) {
        high = "at most " + shown(rule.at_most());
    }
    return low.empty() || high.empty() ? low + high : low + " and " + high;
}

void fill_constants(Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    for (int k = 0; k < type.field_count(); ++k) {
        const FieldDescriptor& field = *type.field(k);
        const v1::FieldRule& rule = rule_of(field);
        if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
            if (!rule.default_().empty() && is_absent(message, field) && has_room(message, rule)) {
                set_default(message, field, rule.default_());
            }
        } else if (field.is_repeated()) {
            for (int index = 0; index < reflection.FieldSize(message, &field); ++index) {
                fill_constants(*reflection.MutableRepeatedMessage(&message, &field, index));
            }
        } else if (rule.filled() || reflection.HasField(message, &field)) {
            fill_constants(*reflection.MutableMessage(&message, &field));
        }
    }
}

void check_fields(const Message& message, Rules& rules) {
    const std::size_t told = rules.size();
    Walk(rules).check(message, "");
    const Descriptor& type = *message.GetDescriptor();
    rules.merge(told, [&](const std::string& field) { return place_of(&type, field); });
}

void check_number(const Message& message, const std::string& name, const std::string& path,
                  Rules& rules) {
    const FieldDescriptor& field = field_named(*message.GetDescriptor(), name);
    const std::string here = below(path, name);
    const double number = number_at(message, field, 0);
    if (!is_in_range(rule_of(field), number)) {
        tell_range(field, number, here, rules);
    }
}

// The table of keys.
namespace {

using google::protobuf::EnumDescriptor;

/// Endings of keys that are no swappable unit, and those whose symbol is not the ending itself.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kUnits = {{
    {"_kg_per_m3", "kg/m3"}, {"_g_per_cm3", "g/cm3"}, {"_m_per_s", "m/s"}, {"_km_per_s", "km/s"},
    {"_per_s", "1/s"},       {"_pa_s", "Pa s"},       {"_pa", "Pa"},       {"_mpa", "MPa"},
    {"_gpa", "GPa"},         {"_deg", "degrees"},     {"_n_m", "N m"},     {"_n", "N"},
    {"_hz", "Hz"},           {"_khz", "kHz"},         {"_mhz", "MHz"},     {"_m", "m"},
    {"_km", "km"},           {"_cm", "cm"},           {"_mm", "mm"},       {"_s", "s"},
}};

/// Returns the unit that a key ends in; empty where it ends in none. Only numbers have units.
std::string unit_of(const FieldDescriptor& field) {
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE) {
        return "";
    }
    for (const auto& [ending, unit] : kUnits) {
        if (field.name().size() > ending.size() && field.name().ends_with(ending)) {
            return std::string(unit);
        }
    }
    return "";
}

/// Returns the words of an enum as users write them: the values' common prefix is the enum's name.
std::vector<std::string> words_of(const EnumDescriptor& type) {
    std::vector<std::string> words;
    for (int k = 1; k < type.value_count(); ++k) {
        std::string word = type.value(k)->name().substr(type.name().size() + 1);
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        words.push_back(word);
    }
    return words;
}

std::string one_type(const FieldDescriptor& field, const v1::FieldRule& rule) {
    switch (field.cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return "number";
        case FieldDescriptor::CPPTYPE_UINT32:
        case FieldDescriptor::CPPTYPE_UINT64:
            return "whole number";
        case FieldDescriptor::CPPTYPE_BOOL:
            return "true or false";
        case FieldDescriptor::CPPTYPE_ENUM:
            return "word";
        case FieldDescriptor::CPPTYPE_STRING:
            return rule.choices().empty() ? "text" : "word";
        default:
            return field.message_type() == v1::File::descriptor() ? "file" : "mapping";
    }
}

std::string type_of(const FieldDescriptor& field, const v1::FieldRule& rule) {
    const std::string one = one_type(field, rule);
    return field.is_repeated() ? "list of " + one + "s" : one;
}

std::string values_of(const FieldDescriptor& field, const v1::FieldRule& rule) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        return join_or(words_of(*field.enum_type()));
    }
    const std::vector<std::string> choices(rule.choices().begin(), rule.choices().end());
    return choices.empty() ? range_text(rule, [](double value) { return show(value); })
                           : join_or(choices);
}

FieldRow row_of(const FieldDescriptor& field, std::string key) {
    const v1::FieldRule& rule = rule_of(field);
    FieldRow row;
    row.key = std::move(key);
    row.type = type_of(field, rule);
    row.unit = unit_of(field);
    if (!row.unit.empty()) {
        const std::vector<QuantityName> names = quantity_names(field.name());
        const std::size_t base = without_unit(field.name()).size() + 1;
        for (std::size_t k = 1; k < names.size(); ++k) {
            row.other_units.push_back(names[k].name.substr(base));
        }
    }
    row.values = values_of(field, rule);
    row.required = must_be_given(field);
    row.fallback = rule.default_().empty() ? rule.if_absent() : rule.default_();
    row.meaning = rule.meaning();
    return row;
}

class Table {
public:
    void add(const Descriptor& type, const std::string& path) {
        for (int k = 0; k < type.field_count(); ++k) {
            const FieldDescriptor& field = *type.field(k);
            const std::string key = path + field.name();
            rows_.push_back(row_of(field, key));
            if (rows_.back().type.ends_with("mapping") || rows_.back().type.ends_with("mappings")) {
                add_mapping(*field.message_type(), key + (field.is_repeated() ? "[]" : ""));
            }
        }
    }
    [[nodiscard]] std::vector<FieldRow> take() { return std::move(rows_); }

private:
    void add_mapping(const Descriptor& type, const std::string& key) {
        const auto [first, fresh] = first_.try_emplace(&type, key);
        if (fresh) {
            add(type, key + ".");
        } else {
            rows_.back().type += " as " + first->second;
        }
    }

    std::vector<FieldRow> rows_;
    std::map<const Descriptor*, std::string> first_;  ///< key under which a type's keys stand
};

}  // namespace

std::vector<FieldRow> field_table(const Descriptor& type) {
    Table table;
    table.add(type, "");
    return table.take();
}

}  // namespace kaname::request
