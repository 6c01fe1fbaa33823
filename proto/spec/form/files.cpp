// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/files.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "solvers/base/sha256.hpp"

namespace kaname::spec {
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
                                     ", the specification says " + expected});
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

}  // namespace kaname::spec
