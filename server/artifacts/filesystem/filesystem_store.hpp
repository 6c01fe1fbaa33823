// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "server/artifacts/artifact_store.hpp"
#include "server/artifacts/filesystem/file.hpp"

namespace kaname::artifacts {

/// Artifacts as read-only files <root>/objects/<2 digits>/<sha256>; unfinished ones as
/// <root>/partial/<sha256>.<slot>, each locked (flock) while somebody writes it. An artifact
/// appears by one rename after its bytes are on disk, so a crash at any moment leaves it whole or
/// absent. Several processes may share one root on a local disk. Uploads must not outlive the
/// store.
class FilesystemStore final : public ArtifactStore {
public:
    /// Creates the folders (mode 0700). Throws Unavailable when it cannot.
    explicit FilesystemStore(std::filesystem::path root, StoreOptions options = {});

    std::unique_ptr<Upload> begin_put(const std::string& sha256, std::uint64_t bytes) override;
    std::uint64_t look_up(const std::string& sha256, std::uint64_t bytes) override;
    std::unique_ptr<Artifact> open(const std::string& sha256) const override;
    std::filesystem::path local_file(const std::string& sha256) const override;
    std::optional<std::uint64_t> size(const std::string& sha256) const override;
    bool remove(const std::string& sha256) override;
    bool remove_if_idle(const std::string& sha256, TimePoint since) override;
    std::vector<ArtifactInfo> list() const override;
    std::size_t expire_partials() override;

    /// Where an artifact's file is, or would be.
    [[nodiscard]] std::filesystem::path object_path(const std::string& sha256) const;

private:
    /// To the folder damaged, for whoever looks into the disk.
    void set_aside(const std::string& sha256) override;
    friend class FileUpload;
    [[nodiscard]] std::filesystem::path partial_path(const std::string& sha256, int slot) const;
    [[nodiscard]] std::uint64_t free_bytes() const;
    /// The longest partial upload that nobody writes, locked; not open when there is none.
    [[nodiscard]] std::pair<File, std::filesystem::path> longest_partial(
        const std::string& sha256) const;
    /// Bytes that it spares a new upload of `bytes`, for which there must be room. Throws
    /// Exhausted.
    std::uint64_t check_room_after(const File& partial, std::uint64_t bytes) const;
    /// Refreshes put_at; the size, or nothing when it is not here.
    std::optional<std::uint64_t> touch(const std::string& sha256) const;

    std::filesystem::path root_;
    StoreOptions options_;
};

}  // namespace kaname::artifacts
