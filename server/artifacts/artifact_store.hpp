// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaname::artifacts {

using TimePoint = std::chrono::system_clock::time_point;

struct StoreOptions {
    std::uint64_t max_upload_bytes = std::uint64_t{1} << 38;  ///< largest artifact (256 GiB)
    std::uint64_t min_free_bytes = std::uint64_t{1} << 30;    ///< free space kept from uploads
    std::chrono::seconds partial_lifetime = std::chrono::hours(24);
    std::function<TimePoint()> now = std::chrono::system_clock::now;
    /// Bytes free for artifacts; empty: what the implementation measures.
    std::function<std::uint64_t()> free_bytes;
};

struct ArtifactInfo {
    std::string sha256;
    std::uint64_t bytes = 0;
    TimePoint put_at;  ///< last commit, or last begin_put that found it complete
};

/// One writer's unfinished artifact. Dropping it keeps the bytes for a later begin_put; one handle
/// belongs to one thread at a time.
class Upload {
public:
    virtual ~Upload() = default;

    /// Bytes already here: where the writer continues. The declared size when nothing is missing.
    [[nodiscard]] virtual std::uint64_t offset() const = 0;
    /// Appends. Throws InvalidArgument unless `offset` equals offset() and the bytes fit in the
    /// declared size, Exhausted when the disk is full or at its low watermark, Unavailable when it
    /// refuses the bytes.
    virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    /// Makes the artifact durable and visible, both at once; harmless when it already is. Throws
    /// InvalidArgument when bytes are missing (they may still be written) and when the content has
    /// another hash (the partial upload is then gone and the handle is spent).
    virtual void commit() = 0;
};

/// An open artifact; stays readable when it is removed meanwhile. Reads are safe from any thread.
class Artifact {
public:
    virtual ~Artifact() = default;

    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Fills `into` from `offset`; fewer bytes only at the end, none when offset == size(). Throws
    /// OutOfRange past the end, DataLoss when the disk holds less than it should.
    virtual std::size_t read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

/// Immutable byte sequences named by their SHA-256 (64 lower-case hexadecimal digits; anything else
/// is InvalidArgument in every call). Safe from any number of threads.
class ArtifactStore {
public:
    virtual ~ArtifactStore() = default;

    /// Starts or resumes an upload of `bytes` bytes. Writers of one hash never share a partial
    /// upload: a second one at the same time starts its own, and whoever commits first is kept.
    /// Throws InvalidArgument when the size differs from the artifact that is here, Exhausted when
    /// it is over the limit or the disk lacks room, Unavailable when too many write this hash.
    [[nodiscard]] virtual std::unique_ptr<Upload> begin_put(const std::string& sha256,
                                                            std::uint64_t bytes) = 0;
    /// How many bytes of an upload are here; all of them, and it is touched, when it is complete.
    /// Makes nothing. Throws as begin_put does, but for writers.
    [[nodiscard]] virtual std::uint64_t look_up(const std::string& sha256, std::uint64_t bytes) = 0;
    /// Throws NotFound.
    [[nodiscard]] virtual std::unique_ptr<Artifact> open(const std::string& sha256) const = 0;
    /// A file of this machine with the artifact's bytes, to be read by programs that are started
    /// here while the artifact is not removed. Throws NotFound.
    [[nodiscard]] virtual std::filesystem::path local_file(const std::string& sha256) const = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> size(const std::string& sha256) const = 0;
    /// False when it is not here.
    virtual bool remove(const std::string& sha256) = 0;
    /// Removes it unless somebody put it or found it complete after `since`. False: so it stays;
    /// true: it is not here any more.
    virtual bool remove_if_idle(const std::string& sha256, TimePoint since) = 0;
    /// All artifacts, in the order of their hashes. A collector of garbage spares those with a
    /// recent put_at: their uploader counts on them.
    [[nodiscard]] virtual std::vector<ArtifactInfo> list() const = 0;
    /// Removes partial uploads that nobody writes and nobody has written for the lifetime; returns
    /// how many.
    virtual std::size_t expire_partials() = 0;

    [[nodiscard]] bool exists(const std::string& sha256) const { return size(sha256).has_value(); }
    /// At most `limit` bytes of an artifact from `offset`. Throws as open and Artifact::read.
    [[nodiscard]] std::vector<std::byte> read(const std::string& sha256, std::uint64_t offset,
                                              std::uint64_t limit) const;
    /// Reads everything again. Throws NotFound, or DataLoss when the content no longer has its
    /// hash.
    void verify(const std::string& sha256) const;
    /// As verify; what is damaged is then no longer here, so that it can be computed or uploaded
    /// anew.
    void verify_or_set_aside(const std::string& sha256);

private:
    /// A damaged one goes out of sight.
    virtual void set_aside(const std::string& sha256) { remove(sha256); }
};

/// Writers of one hash at the same time; more are told to come back.
inline constexpr int kMaxWritersPerHash = 4;

/// Commits all of them, several at a time: each waits for the disk twice, and a disk takes many
/// such waits at once. Throws what the first that failed threw, when all have ended.
void commit_all(std::span<const std::unique_ptr<Upload>> uploads);

/// The rules and messages that all implementations share; each check throws what ArtifactStore
/// documents.
void check_hash(const std::string& sha256);
void check_upload_size(const std::string& sha256, std::uint64_t bytes, const StoreOptions& options);
void check_same_size(const std::string& sha256, std::uint64_t stored, std::uint64_t declared);
/// `needed` bytes must leave the low watermark free; `place` is what the message calls the store.
void check_room(const std::string& place, std::uint64_t needed, std::uint64_t free,
                const StoreOptions& options);
void check_append(const std::string& sha256, std::uint64_t offset, std::uint64_t expected,
                  std::uint64_t count, std::uint64_t declared);
void check_complete(const std::string& sha256, std::uint64_t here, std::uint64_t declared);
void check_content(const std::string& sha256, const std::string& found);
void check_read_offset(const std::string& sha256, std::uint64_t offset, std::uint64_t size);
[[noreturn]] void throw_not_found(const std::string& sha256);
[[noreturn]] void throw_too_many_writers(const std::string& sha256);
[[noreturn]] void throw_spent(const std::string& sha256);

/// SHA-256 of what the artifact reads back, in pieces.
[[nodiscard]] std::string content_hash(const Artifact& artifact);

}  // namespace kaname::artifacts
