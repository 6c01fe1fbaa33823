// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace kaname::support {

/// A folder of this process's that is removed when it ends.
class EmptyFolder {
public:
    EmptyFolder() {
        path_ = (std::filesystem::temp_directory_path() / "kaname-absent-XXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) {
            throw std::runtime_error("no temporary folder " + path_);
        }
        // As anybody's: programs that run as another user find it empty too.
        std::filesystem::permissions(path_, std::filesystem::perms(0755));
    }
    ~EmptyFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    EmptyFolder(const EmptyFolder&) = delete;
    EmptyFolder& operator=(const EmptyFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The path of `name` in a folder that exists and is empty, so that nothing is there whatever the
/// machine has.
inline std::string absent(const std::string& name) {
    static const EmptyFolder folder;
    return folder.path() + "/" + name;
}

}  // namespace kaname::support
