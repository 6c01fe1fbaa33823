// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "solvers/base/files.hpp"

namespace kaname::support {

/// An empty folder of this object's own, whatever other tests and processes do at the same time;
/// removed with all that is in it. Programs that run as another user may read it.
class TemporaryFolder : public kaname::TemporaryFolder {
public:
    TemporaryFolder() {
        std::filesystem::permissions(kaname::TemporaryFolder::path(), std::filesystem::perms(0755));
    }

    using kaname::TemporaryFolder::path;
    /// The path of a file or folder in it.
    [[nodiscard]] std::string path(const std::string& name) const {
        return (path() / name).string();
    }
};

/// The path of `name` in a folder that exists and is empty, so that nothing is there whatever the
/// machine has.
inline std::string absent(const std::string& name) {
    static const TemporaryFolder folder;
    return folder.path(name);
}

}  // namespace kaname::support
