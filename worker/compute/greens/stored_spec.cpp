// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/stored_spec.hpp"

#include <filesystem>

#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"

namespace kaname::compute {
namespace {

namespace fs = std::filesystem;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

spec::LoadedSpec load_stored_spec(const std::string& path, const std::string& files) {
    if (files.empty()) {
        return spec::load_spec_json(path);
    }
    v1::GreensBatch batch = spec::parse_json(spec::read_text_file(path), "file '" + path + "'");
    const fs::path beside = fs::absolute(path).parent_path();
    std::vector<Violation> broken;
    spec::for_each_file(batch, [&](v1::File& file, const std::string& field) {
        if (file.sha256().empty()) {
            if (!file.path().empty()) {
                file.set_path((beside / file.path()).string());
            }
        } else if (is_sha256(file.sha256())) {
            file.set_path((fs::path(files) / file.sha256()).string());
        } else {
            broken.push_back(
                {field + ".sha256",
                 "must be 64 hexadecimal digits in lower case, got '" + file.sha256() + "'"});
        }
    });
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return spec::load_batch(std::move(batch));
}

}  // namespace kaname::compute
