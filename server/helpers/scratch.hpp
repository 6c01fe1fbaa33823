// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kaname::helpers {

/// A folder of one call or process, gone with it.
class ScratchFolder {
public:
    explicit ScratchFolder(std::filesystem::path path);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Numbers that a verb wrote, little-endian float64. Throws Internal, naming the verb, when there
/// are fewer.
[[nodiscard]] std::vector<double> read_values(const std::string& verb, const std::string& file,
                                              std::size_t count);

}  // namespace kaname::helpers
