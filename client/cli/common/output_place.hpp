// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace kaname::cli {

/// Throws Unavailable unless `folder` is, or can be made, a folder that takes files. Makes nothing.
/// `field` begins the message: the option that names the place.
void check_can_write(const std::string& field, const std::filesystem::path& folder);

/// Where a command writes one file. Made before anything is computed or submitted, so that a place
/// that cannot be used costs nothing; the file comes there in one step when it is complete.
///
/// Only absent names and regular files are places. A link stands for the regular file that it names
/// and stays a link; links to nothing, folders, devices, pipes and sockets are refused, with
/// --force too. A file that is there is replaced when `force` is set or when `judge` finds that it
/// is what the command would write.
class OutputPlace {
public:
    /// Judge describes a file, as in "is a mesh of another request"; empty: it is what will
    /// be written.
    using Judge = std::function<std::string(const std::filesystem::path&)>;

    /// Throws InvalidArgument (no place for a file), Unavailable (its folder cannot be made or
    /// takes no files) or Conflict (another file is there).
    OutputPlace(std::string field, const std::filesystem::path& path, bool force,
                const Judge& judge = {});

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Returns the path of the unfinished file, which an interrupted command leaves for the next
    /// one.
    [[nodiscard]] std::filesystem::path part() const { return path_.string() + ".part"; }

    void make_folder() const;
    /// Bytes that the place's file system lacks for `bytes` more; 0 when it has them, or does not
    /// say what it has.
    [[nodiscard]] double lacks_bytes(double bytes) const;
    /// Throws Exhausted when it lacks any.
    void check_space(double bytes) const;
    /// Moves `finished`, a file of the same file system, there. Throws Conflict, and leaves
    /// `finished`, when another file has come there since the place was checked.
    void put(const std::filesystem::path& finished) const;

private:
    /// Which file was found, to tell whether it is still that one.
    struct Found {
        std::uint64_t device, inode;
        std::int64_t bytes, changed_s, changed_ns;
        bool operator==(const Found&) const = default;
    };
    [[nodiscard]] std::optional<Found> look() const;
    [[noreturn]] void refuse(const std::string& what) const;
    [[noreturn]] void throw_appeared() const;

    std::string field_;
    std::filesystem::path path_;  // the regular file; links followed
    bool force_;
    std::optional<Found> found_;
};

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
