// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/spec_files.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "solvers/base/shown.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

/// Calls `visit` with every file of the specification, an object that has a sha256.
void visit_files(json& value, const std::string& field,
                 const std::function<void(json& file, const std::string& field)>& visit) {
    if (value.is_object() && value.contains("sha256")) {
        visit(value, field);
    } else if (value.is_object()) {
        for (auto& [key, inner] : value.items()) {
            visit_files(inner, field.empty() ? key : field + "." + key, visit);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            visit_files(value[i], field + "[" + std::to_string(i) + "]", visit);
        }
    }
}

std::string file_name(std::string field) {
    std::erase(field, ']');
    std::ranges::replace(field, '[', '.');
    return file_name_of(field);  // keys of a file that somebody else wrote
}

}  // namespace

std::vector<SpecFile> files_of(const json& specification) {
    json copy = specification;
    std::vector<SpecFile> files;
    std::map<std::string, std::string> names;  // by hash
    visit_files(copy, "", [&](json& file, const std::string& field) {
        const std::string sha256 = file.at("sha256");
        const std::string& name = names.emplace(sha256, file_name(field)).first->second;
        files.push_back({field, sha256, name});
    });
    return files;
}

json with_names(json specification) {
    const std::vector<SpecFile> files = files_of(specification);
    std::size_t next = 0;
    visit_files(specification, "",
                [&](json& file, const std::string&) { file["path"] = files.at(next++).name; });
    return specification;
}

bool is_sha256(const std::string& text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace kaname::cli
