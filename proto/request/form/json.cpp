// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "proto/kaname/v1/greens.pb.h"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {
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

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Struct;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageToJsonString;

namespace {

/// Takes what a message of this type no longer has out of its JSON; true where there was something.
bool drop_removed(const Descriptor& type, Struct& object) {
    auto& values = *object.mutable_fields();
    bool any = false;
    for (int k = 0; k < type.reserved_name_count(); ++k) {
        any = values.erase(type.reserved_name(k)) > 0 || any;
    }
    for (int k = 0; k < type.field_count(); ++k) {
        const FieldDescriptor& field = *type.field(k);
        const auto found = values.find(field.name());
        if (field.message_type() == nullptr || found == values.end()) {
            continue;
        }
        google::protobuf::Value& value = found->second;
        if (value.has_struct_value()) {
            any = drop_removed(*field.message_type(), *value.mutable_struct_value()) || any;
        }
        for (int at = 0; at < value.list_value().values_size(); ++at) {
            google::protobuf::Value& item = *value.mutable_list_value()->mutable_values(at);
            any = (item.has_struct_value() &&
                   drop_removed(*field.message_type(), *item.mutable_struct_value())) ||
                  any;
        }
    }
    return any;
}

/// Returns the JSON without removed fields; nothing if it has none, or is no object.
std::optional<std::string> without_removed(const std::string& json, const Descriptor& type) {
    Struct object;
    std::string text;
    if (JsonStringToMessage(json, &object).ok() && drop_removed(type, object) &&
        MessageToJsonString(object, &text).ok()) {
        return text;
    }
    return std::nullopt;
}

}  // namespace

void from_json(const std::string& json, const std::string& name, Message& into) {
    auto status = JsonStringToMessage(json, &into);
    if (!status.ok()) {
        if (const auto rest = without_removed(json, *into.GetDescriptor())) {
            into.Clear();
            status = JsonStringToMessage(*rest, &into);
        }
    }
    if (!status.ok()) {
        throw Error(ErrorCode::InvalidArgument, name + " is not a " +
                                                    into.GetDescriptor()->full_name() +
                                                    " in JSON: " + std::string(status.message()));
    }
}

std::string to_json(const Message& message) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    options.preserve_proto_field_names = true;
    std::string text;
    const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
    if (!status.ok()) {
        throw Error(ErrorCode::Internal,
                    "cannot write the request as JSON: " + std::string(status.message()));
    }
    return text;
}

std::string schema_of_json(const std::string& text, const std::string& name) {
    google::protobuf::Struct object;
    const auto status = google::protobuf::util::JsonStringToMessage(text, &object);
    if (!status.ok()) {
        throw Error(ErrorCode::InvalidArgument,
                    name + " is not a request in JSON: " + std::string(status.message()));
    }
    const auto found = object.fields().find("schema");
    return found == object.fields().end() ? "" : found->second.string_value();
}

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::uintmax_t kMostOfATable = std::uintmax_t{64} << 20;

/// Returns whether a file begins as HDF5 (netCDF-4 too), netCDF-3 or Gmsh files do. All others are
/// text, whose readers take 64 MiB.
bool is_binary_or_mesh(const std::filesystem::path& path) {
    std::array<char, 4> head{};
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    const std::string_view begins(head.data(), head.size());
    return begins == "\x89HDF" || begins.starts_with("CDF") || begins.starts_with('$');
}

/// Returns what keeps `path` from being hashed; empty when nothing does.
std::string obstacle(const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::file_status status = std::filesystem::status(path, failed);
    if (status.type() == std::filesystem::file_type::not_found) {
        return "does not exist";
    }
    if (!std::filesystem::exists(status)) {
        return "cannot be reached: " + failed.message();
    }
    if (!std::filesystem::is_regular_file(status)) {
        return "is not a regular file";
    }
    // Said at once: hashing hundreds of gigabytes takes as many minutes, and a sparse file has them
    // for nothing.
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    return !failed && bytes > kMostOfATable && !is_binary_or_mesh(path)
               ? "must have at most 64 MiB, as every table has, got " + std::to_string(bytes) +
                     " bytes"
               : "";
}

void resolve(v1::File& file, const std::filesystem::path& folder, const std::string& field,
             std::vector<Violation>& broken) {
    if (file.path().empty()) {
        return;  // validate() says so
    }
    const std::string path =
        std::filesystem::absolute(folder / file.path()).lexically_normal().string();
    const std::string expected = file.sha256();
    file.set_path(path);
    file.clear_sha256();
    if (const std::string why = obstacle(path); !why.empty()) {
        broken.push_back({field, "file '" + path + "' " + why});
        return;
    }
    try {
        file.set_sha256(sha256_file(path));
    } catch (const Error& error) {
        broken.push_back({field, error.what()});
        return;
    }
    if (!expected.empty() && expected != file.sha256()) {
        broken.push_back({field, "file '" + path + "' has sha256 " + file.sha256() +
                                     ", the request says " + expected});
    }
}

using Visit = std::function<void(v1::File& file, const std::string& field)>;

void visit_in(Message& message, const std::string& path, const Visit& visit) {
    if (message.GetDescriptor() == v1::File::descriptor()) {
        visit(static_cast<v1::File&>(message), path);
        return;
    }
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
            continue;
        }
        const std::string inner = path.empty() ? field->name() : path + "." + field->name();
        if (!field->is_repeated()) {
            visit_in(*reflection.MutableMessage(&message, field), inner, visit);
            continue;
        }
        for (int index = 0; index < reflection.FieldSize(message, field); ++index) {
            visit_in(*reflection.MutableRepeatedMessage(&message, field, index),
                     inner + "[" + std::to_string(index) + "]", visit);
        }
    }
}

}  // namespace

void for_each_file(Message& message, const Visit& visit) {
    visit_in(message, "", visit);
}

std::vector<Violation> resolve_files(Message& message, const std::filesystem::path& folder) {
    std::vector<Violation> broken;
    for_each_file(message, [&](v1::File& file, const std::string& field) {
        resolve(file, folder, field, broken);
    });
    return broken;
}

}  // namespace kaname::request
