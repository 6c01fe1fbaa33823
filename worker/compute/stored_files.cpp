// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/stored_files.hpp"

#include <filesystem>
#include <vector>

#include "proto/spec/form/files.hpp"

namespace kaname::compute {
namespace {

namespace fs = std::filesystem;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void locate_stored_files(google::protobuf::Message& specification, const std::string& spec_path,
                         const std::string& folder) {
    const fs::path beside = fs::absolute(spec_path).parent_path();
    std::vector<Violation> broken;
    spec::for_each_file(specification, [&](v1::File& file, const std::string& field) {
        if (folder.empty() || file.sha256().empty()) {
            if (!file.path().empty()) {
                file.set_path((beside / file.path()).lexically_normal().string());
            }
        } else if (is_sha256(file.sha256())) {
            file.set_path((fs::absolute(folder) / file.sha256()).lexically_normal().string());
        } else {
            broken.push_back(
                {field + ".sha256",
                 "must be 64 hexadecimal digits in lower case, got '" + file.sha256() + "'"});
        }
    });
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

}  // namespace kaname::compute
