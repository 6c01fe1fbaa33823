// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::cli {

/// Where a command writes files that belong together. Made before anything is computed, as
/// OutputPlace is for one file; the files come there when all of them are complete.
///
/// An absent folder and an empty one are places; one with files is when `force` is set: files of
/// the same names are then replaced, others stay. A link stands for the folder that it names.
class OutputFolder {
public:
    /// Throws InvalidArgument (no place for a folder), Unavailable (it cannot be made or takes no
    /// files) or Conflict (it has files).
    OutputFolder(std::string field, const std::filesystem::path& path, bool force);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Makes the folder around it, where the files are to be made: the same file system.
    [[nodiscard]] std::filesystem::path make_parent() const;
    /// Moves `finished` there, in one step unless files are there already; then its files one by
    /// one, `last` at the end. Throws Conflict, and leaves `finished`, when files have come there
    /// since the place was checked.
    void put(const std::filesystem::path& finished, const std::string& last) const;

private:
    [[noreturn]] void throw_in_use(const std::string& what) const;

    std::string field_;
    std::filesystem::path path_;
    bool force_;
};

}  // namespace kaname::cli
