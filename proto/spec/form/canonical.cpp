// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/canonical.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/error.hpp"

namespace kaname::spec {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kSignificantDigits = 12;

void write_number(std::string& out, double value) {
    char buffer[40];
    const double positive_zero = value == 0.0 ? 0.0 : value;
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, positive_zero,
                                            std::chars_format::general, kSignificantDigits);
    out.append(buffer, end);
}

void write_text(std::string& out, const std::string& text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    out += '"';
}

void write_message(std::string& out, const Message& message, const std::string& path);

void write_value(std::string& out, const Message& message, const FieldDescriptor* field, int index,
                 const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    const bool list = field->is_repeated();
    switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
            write_number(out, list ? reflection.GetRepeatedDouble(message, field, index)
                                   : reflection.GetDouble(message, field));
            break;
        case FieldDescriptor::CPPTYPE_UINT32:
            out += std::to_string(list ? reflection.GetRepeatedUInt32(message, field, index)
                                       : reflection.GetUInt32(message, field));
            break;
        case FieldDescriptor::CPPTYPE_UINT64:
            out += std::to_string(list ? reflection.GetRepeatedUInt64(message, field, index)
                                       : reflection.GetUInt64(message, field));
            break;
        case FieldDescriptor::CPPTYPE_BOOL:
            out += (list ? reflection.GetRepeatedBool(message, field, index)
                         : reflection.GetBool(message, field))
                       ? "true"
                       : "false";
            break;
        case FieldDescriptor::CPPTYPE_STRING:
            write_text(out, list ? reflection.GetRepeatedString(message, field, index)
                                 : reflection.GetString(message, field));
            break;
        case FieldDescriptor::CPPTYPE_ENUM:
            write_text(out, list ? reflection.GetRepeatedEnum(message, field, index)->name()
                                 : reflection.GetEnum(message, field)->name());
            break;
        case FieldDescriptor::CPPTYPE_MESSAGE:
            write_message(out,
                          list ? reflection.GetRepeatedMessage(message, field, index)
                               : reflection.GetMessage(message, field),
                          path);
            break;
        default:
            throw Error(ErrorCode::Internal,
                        "canonical JSON knows no type of " + field->full_name());
    }
}

void write_message(std::string& out, const Message& message, const std::string& path) {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    std::sort(fields.begin(), fields.end(),
              [](const auto* a, const auto* b) { return a->name() < b->name(); });
    if (message.GetDescriptor() == v1::File::descriptor()) {
        if (static_cast<const v1::File&>(message).sha256().empty()) {
            throw Error(ErrorCode::InvalidArgument, path + " has no sha256 to stand for its bytes");
        }
        std::erase_if(fields, [](const auto* field) { return field->name() == "path"; });
    }
    out += '{';
    for (const FieldDescriptor* field : fields) {
        if (out.back() != '{') {
            out += ',';
        }
        write_text(out, field->name());
        out += ':';
        const std::string inner = path.empty() ? field->name() : path + "." + field->name();
        if (!field->is_repeated()) {
            write_value(out, message, field, 0, inner);
            continue;
        }
        out += '[';
        for (int index = 0; index < reflection.FieldSize(message, field); ++index) {
            out += index > 0 ? "," : "";
            write_value(out, message, field, index, inner + "[" + std::to_string(index) + "]");
        }
        out += ']';
    }
    out += '}';
}

}  // namespace

std::string canonical_text(const Message& message) {
    std::string out;
    write_message(out, message, "");
    return out;
}

}  // namespace kaname::spec
