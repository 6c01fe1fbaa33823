// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/helpers/compute.hpp"

namespace kaname::helpers {

/// A folder of one call or process, gone with it.
class ScratchFolder {
public:
    explicit ScratchFolder(std::filesystem::path path);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Numbers that a verb wrote to a file, which may be removed meanwhile.
[[nodiscard]] ValueStream values_in(const std::string& verb, const std::string& file,
                                    std::size_t count);
/// All of them.
[[nodiscard]] std::vector<double> read_values(const std::string& verb, const std::string& file,
                                              std::size_t count);

}  // namespace kaname::helpers
