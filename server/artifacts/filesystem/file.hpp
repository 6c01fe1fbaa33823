// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kaname::artifacts {

/// Owner of one open file. Every failure is an error with path and cause: Exhausted where the disk,
/// a quota or a limit has no room, else Unavailable.
class File {
public:
    File() = default;
    ~File();
    File(File&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
    File& operator=(File&& other) noexcept;

    /// Not open when there is no such file.
    [[nodiscard]] static File open_to_read(const std::filesystem::path& path);
    /// Opens or creates, and takes the lock; not open when another handle holds it. The file is
    /// then surely the one that `path` names, and not one that was removed meanwhile.
    [[nodiscard]] static File lock(const std::filesystem::path& path, bool create);

    [[nodiscard]] bool open() const { return fd_ >= 0; }
    [[nodiscard]] std::uint64_t size() const;
    void truncate(std::uint64_t bytes) const;
    void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
    /// Fewer bytes only at the end of the file.
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;
    /// Read-only for its owner, and on disk.
    void seal() const;
    void close();

private:
    File(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}

    int fd_ = -1;
    std::filesystem::path path_;
};

/// Creates the folder and its parents, mode 0700; those that are there keep theirs. One whose name
/// cannot be made durable is removed.
void make_folder(const std::filesystem::path& path);
/// Makes the names in a folder durable.
void sync_folder(const std::filesystem::path& path);
/// Atomic; what is at `to` stays there, while after a crash of the machine it may be at `from` too.
/// Where the folder cannot be synced, the file is at neither.
void rename_into(const std::filesystem::path& from, const std::filesystem::path& to);
/// Atomic and durable, on both sides.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Throws the error that errno reports, with `action` and `path` in its text.
[[noreturn]] void throw_errno(const std::string& action, const std::filesystem::path& path);

/// The UUID of an artifact folder, kept in <root>/store_id and moved with it: how a database knows
/// the folder that its results lie in. Made where there is none, once however many come at the same
/// time. Throws DataLoss when the file holds anything else, Unavailable when it cannot be read or
/// made.
[[nodiscard]] std::string store_id_of(const std::filesystem::path& root);

}  // namespace kaname::artifacts
