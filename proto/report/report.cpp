// SPDX-License-Identifier: BSD-3-Clause
#include "proto/report/report.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include "solvers/base/text.hpp"

namespace kaname::report {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A list of numbers that was taken out of a message, and what the message has in its place.
struct TakenOut {
    std::string place, text;
};
using TakenOutLists = std::vector<TakenOut>;

std::string text_of(const Message& message, const google::protobuf::util::JsonPrintOptions& how) {
    std::string text;
    const auto status = google::protobuf::util::MessageToJsonString(message, &text, how);
    if (!status.ok()) {
        throw Error(ErrorCode::Internal,
                    message.GetDescriptor()->full_name() +
                        " cannot be written as JSON: " + std::string(status.message()));
    }
    return text;
}

/// Takes a long list out. With all fields printed protobuf keeps a kilobyte for each number, and
/// without that it writes them as they come.
void take_out(Message& message, const FieldDescriptor* field, TakenOutLists& lists) {
    const Reflection& reflection = *message.GetReflection();
    google::protobuf::util::JsonPrintOptions how;
    how.preserve_proto_field_names = true;
    const auto inner = [&](const Message& one) {
        std::string text = text_of(one, how);
        text.pop_back();
        text.erase(0, 1);
        return text;
    };
    const std::unique_ptr<Message> list(message.New());
    reflection.SwapFields(&message, list.get(), {field});
    const std::unique_ptr<Message> place(message.New());
    // No two are the same, and nothing that is measured is so large.
    const double rare = -std::numeric_limits<double>::max() / (1.0 + 1e-6 * std::ssize(lists));
    reflection.AddDouble(place.get(), field, rare);
    reflection.AddDouble(&message, field, rare);
    lists.push_back({inner(*place), inner(*list)});
}

void clean(Message& message, TakenOutLists* lists);

void clean_repeated(Message& message, const FieldDescriptor* field, TakenOutLists* lists) {
    constexpr int kLong = 256;
    const Reflection& reflection = *message.GetReflection();
    if (lists != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE &&
        reflection.FieldSize(message, field) > kLong) {
        take_out(message, field, *lists);
        return;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            clean(*reflection.MutableRepeatedMessage(&message, field, i), lists);
        } else if (field->type() == FieldDescriptor::TYPE_STRING) {
            reflection.SetRepeatedString(&message, field, i,
                                         to_utf8(reflection.GetRepeatedString(message, field, i)));
        }
    }
}

/// JSON has neither bytes that are no characters nor NaN; protobuf would drop the ones and write
/// the other as text. With `lists`, long ones are taken out.
void clean(Message& message, TakenOutLists* lists) {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->is_repeated()) {
            clean_repeated(message, field, lists);
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            clean(*reflection.MutableMessage(&message, field), lists);
        } else if (field->type() == FieldDescriptor::TYPE_STRING) {
            reflection.SetString(&message, field, to_utf8(reflection.GetString(message, field)));
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE &&
                   !std::isfinite(reflection.GetDouble(message, field))) {
            reflection.ClearField(&message, field);
        }
    }
}

}  // namespace

std::string to_json(const Message& message, Layout layout) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = layout == Layout::Indented;
    options.preserve_proto_field_names = true;
    options.always_print_primitive_fields = true;
    const auto print = [&](TakenOutLists* lists) {
        const std::unique_ptr<Message> copy(message.New());
        copy->CopyFrom(message);
        clean(*copy, lists);
        return text_of(*copy, options);
    };
    if (layout == Layout::Indented) {
        return print(nullptr);
    }
    TakenOutLists lists;
    std::string text = print(&lists);
    for (const TakenOut& list : lists) {
        const std::size_t at = text.find(list.place);
        if (at == std::string::npos || text.find(list.place, at + 1) != std::string::npos) {
            return print(nullptr);  // somebody's own number is as rare
        }
        text.replace(at, list.place.size(), list.text);
    }
    return text;
}

void parse_into(const std::string& json, const std::string& what, Message& message) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    const auto status = google::protobuf::util::JsonStringToMessage(json, &message, options);
    if (!status.ok()) {
        // The message's first line; the others show the place in the text.
        const std::string why(status.message());
        throw BrokenReport(what + ": must be a " + message.GetDescriptor()->full_name() +
                           " in JSON: " + why.substr(0, why.find('\n')));
    }
}

std::uint32_t count(std::int64_t number) {
    if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCode::OutOfRange,
                    "a count must be within 0..2^32 - 1, got " + std::to_string(number));
    }
    return static_cast<std::uint32_t>(number);
}

}  // namespace kaname::report
