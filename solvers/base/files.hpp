// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname {

/// Writes `path`.part, flushes it to disk and renames it. Throws Unavailable with the path and the
/// cause; then `path` is as it was.
void write_file(const std::filesystem::path& path, const std::string& text);

/// The whole file, or nothing when there is none.
[[nodiscard]] std::string read_file_if_any(const std::filesystem::path& path);

/// A folder of its own under the system's temporary folder, or in `parent`, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    explicit TemporaryFolder(const std::filesystem::path& parent);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace kaname
