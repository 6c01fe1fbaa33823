// SPDX-License-Identifier: BSD-3-Clause
#include "proto/report/report.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include "solvers/base/utf8.hpp"

namespace kaname::report {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void clean(Message& message);

void clean_repeated(Message& message, const FieldDescriptor* field) {
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            clean(*reflection.MutableRepeatedMessage(&message, field, i));
        } else if (field->type() == FieldDescriptor::TYPE_STRING) {
            reflection.SetRepeatedString(&message, field, i,
                                         to_utf8(reflection.GetRepeatedString(message, field, i)));
        }
    }
}

/// JSON has neither bytes that are no characters nor NaN; protobuf would drop the ones and write
/// the other as text.
void clean(Message& message) {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->is_repeated()) {
            clean_repeated(message, field);
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            clean(*reflection.MutableMessage(&message, field));
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
    const std::unique_ptr<Message> copy(message.New());
    copy->CopyFrom(message);
    clean(*copy);
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = layout == Layout::Indented;
    options.preserve_proto_field_names = true;
    options.always_print_primitive_fields = true;
    std::string text;
    const auto status = google::protobuf::util::MessageToJsonString(*copy, &text, options);
    if (!status.ok()) {
        throw Error(ErrorCode::Internal,
                    message.GetDescriptor()->full_name() +
                        " cannot be written as JSON: " + std::string(status.message()));
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
