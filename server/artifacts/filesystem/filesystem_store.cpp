// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/filesystem/filesystem_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/artifacts/artifact_store.hpp"
#include "server/artifacts/filesystem/file.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::artifacts {
namespace fs = std::filesystem;
namespace {

/// Ending of a file that is being removed, in the folder of partial uploads.
constexpr const char* kAside = ".aside";

TimePoint time_of(const struct stat& info) {
    return TimePoint(std::chrono::duration_cast<TimePoint::duration>(
        std::chrono::seconds(info.st_mtim.tv_sec) +
        std::chrono::nanoseconds(info.st_mtim.tv_nsec)));
}

class FileArtifact final : public Artifact {
public:
    FileArtifact(std::string sha256, File file)
        : sha256_(std::move(sha256)), file_(std::move(file)), size_(file_.size()) {}

    std::uint64_t size() const override { return size_; }
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
        check_read_offset(sha256_, offset, size_);
        const std::size_t wanted = std::min<std::uint64_t>(into.size(), size_ - offset);
        if (file_.read(offset, into.first(wanted)) != wanted) {
            throw Error(ErrorCode::DataLoss, "artifact " + sha256_ +
                                                 " has become shorter than its " +
                                                 std::to_string(size_) + " bytes");
        }
        return wanted;
    }

private:
    std::string sha256_;
    File file_;
    std::uint64_t size_;
};

}  // namespace

class FileUpload final : public Upload {
public:
    /// The file is not open when the artifact is complete.
    FileUpload(const FilesystemStore& store, std::string sha256, std::uint64_t declared, File file,
               fs::path path)
        : store_(store),
          sha256_(std::move(sha256)),
          declared_(declared),
          file_(std::move(file)),
          path_(std::move(path)),
          done_(!file_.open()),
          offset_(done_ ? declared : file_.size()) {}

    std::uint64_t offset() const override { return offset_; }

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        if (!file_.open() && !done_) {
            throw_spent(sha256_);
        }
        check_append(sha256_, offset, offset_, bytes.size(), declared_);
        if (bytes.empty()) {
            return;
        }
        check_room(store_.root_.string(), bytes.size(), store_.free_bytes(), store_.options_);
        file_.write(offset, bytes);
        offset_ += bytes.size();
    }

    void commit() override {
        if (done_) {
            return;
        }
        if (!file_.open()) {
            throw_spent(sha256_);
        }
        check_complete(sha256_, offset_, declared_);
        try {
            check_content(sha256_, hash_of_file());
        } catch (const Error& error) {
            if (error.code() == ErrorCode::InvalidArgument) {
                discard();
            }
            throw;
        }
        if (store_.touch(sha256_)) {  // somebody else was faster
            discard();
        } else {
            put_in_place(store_.object_path(sha256_));
            store_.touch(sha256_);  // put_at by the store's clock
        }
        offset_ = declared_;
        done_ = true;
    }

private:
    /// Makes the file durable under its name. Where the disk refuses, nothing is left of it: after
    /// a failed fsync the kernel takes its pages for written, so that the next fsync of the same
    /// file would say that they are.
    void put_in_place(const fs::path& target) {
        try {
            file_.seal();
            make_folder(target.parent_path());
            fail_point("artifact.renaming");
            rename_into(path_, target);
        } catch (const Error&) {
            discard();
            throw;
        }
        fail_point("artifact.renamed");
        file_.close();
    }
    /// Returns the hash of the bytes as the disk returns them, so that a fault between the network
    /// and the file is detected.
    [[nodiscard]] std::string hash_of_file() const {
        File again = File::open_to_read(path_);
        if (!again.open()) {
            throw_errno("open", path_);
        }
        return content_hash(FileArtifact(sha256_, std::move(again)));
    }
    void discard() {
        ::unlink(path_.c_str());  // before the lock goes with the descriptor
        file_.close();
        offset_ = 0;
    }

    const FilesystemStore& store_;
    std::string sha256_;
    std::uint64_t declared_;
    File file_;
    fs::path path_;
    bool done_;
    std::uint64_t offset_;
};

FilesystemStore::FilesystemStore(fs::path root, StoreOptions options)
    : root_(std::move(root)), options_(std::move(options)) {
    make_folder(root_ / "objects");
    make_folder(root_ / "partial");
}

fs::path FilesystemStore::object_path(const std::string& sha256) const {
    check_hash(sha256);
    return root_ / "objects" / sha256.substr(0, 2) / sha256;
}

fs::path FilesystemStore::partial_path(const std::string& sha256, int slot) const {
    return root_ / "partial" / (sha256 + "." + std::to_string(slot));
}

std::uint64_t FilesystemStore::free_bytes() const {
    if (options_.free_bytes) {
        return options_.free_bytes();
    }
    struct statvfs info {};
    if (::statvfs(root_.c_str(), &info) != 0) {
        throw_errno("measure", root_);
    }
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

std::optional<std::uint64_t> FilesystemStore::touch(const std::string& sha256) const {
    const fs::path path = object_path(sha256);
    const auto since = options_.now().time_since_epoch();
    const auto whole = std::chrono::floor<std::chrono::seconds>(since);
    const timespec now{whole.count(), std::chrono::nanoseconds(since - whole).count()};
    const std::array<timespec, 2> times{now, now};
    if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        throw_errno("touch", path);
    }
    return size(sha256);
}

std::pair<File, fs::path> FilesystemStore::longest_partial(const std::string& sha256) const {
    std::pair<File, fs::path> best;
    for (int slot = 0; slot < kMaxWritersPerHash; ++slot) {
        const fs::path path = partial_path(sha256, slot);
        File file = File::lock(path, false);
        if (file.open() && (!best.first.open() || file.size() > best.first.size())) {
            best = {std::move(file), path};
        }
    }
    return best;
}

std::uint64_t FilesystemStore::check_room_after(const File& partial, std::uint64_t bytes) const {
    const std::uint64_t here = partial.open() && partial.size() <= bytes ? partial.size() : 0;
    check_room(root_.string(), bytes - here, free_bytes(), options_);
    return here;
}

std::uint64_t FilesystemStore::look_up(const std::string& sha256, std::uint64_t bytes) {
    check_hash(sha256);
    check_upload_size(sha256, bytes, options_);
    if (const std::optional<std::uint64_t> stored = touch(sha256)) {
        check_same_size(sha256, *stored, bytes);
        return bytes;
    }
    return check_room_after(longest_partial(sha256).first, bytes);
}

std::unique_ptr<Upload> FilesystemStore::begin_put(const std::string& sha256, std::uint64_t bytes) {
    check_hash(sha256);
    check_upload_size(sha256, bytes, options_);
    if (const std::optional<std::uint64_t> stored = touch(sha256)) {
        check_same_size(sha256, *stored, bytes);
        return std::make_unique<FileUpload>(*this, sha256, bytes, File(), fs::path());
    }
    auto [best, best_path] = longest_partial(sha256);
    (void)check_room_after(best, bytes);
    for (int slot = 0; slot < kMaxWritersPerHash && !best.open(); ++slot) {
        best_path = partial_path(sha256, slot);
        best = File::lock(best_path, true);
    }
    if (!best.open()) {
        throw_too_many_writers(sha256);
    }
    if (best.size() > bytes) {  // not this content
        best.truncate(0);
    }
    return std::make_unique<FileUpload>(*this, sha256, bytes, std::move(best), best_path);
}

std::unique_ptr<Artifact> FilesystemStore::open(const std::string& sha256) const {
    File file = File::open_to_read(object_path(sha256));
    if (!file.open()) {
        throw_not_found(sha256);
    }
    return std::make_unique<FileArtifact>(sha256, std::move(file));
}

fs::path FilesystemStore::local_file(const std::string& sha256) const {
    if (!exists(sha256)) {
        throw_not_found(sha256);
    }
    return object_path(sha256);
}

std::optional<std::uint64_t> FilesystemStore::size(const std::string& sha256) const {
    const fs::path path = object_path(sha256);
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        throw_errno("stat", path);
    }
    return static_cast<std::uint64_t>(info.st_size);
}

void FilesystemStore::set_aside(const std::string& sha256) {
    const fs::path damaged = root_ / "damaged";
    make_folder(damaged);
    rename_durably(object_path(sha256), damaged / sha256);
}

bool FilesystemStore::remove(const std::string& sha256) {
    const fs::path path = object_path(sha256);
    if (::unlink(path.c_str()) != 0) {
        if (errno == ENOENT) {
            return false;
        }
        throw_errno("remove", path);
    }
    sync_folder(path.parent_path());
    return true;
}

// Taken aside first: whoever touches it either did so by then, which its time tells, or finds
// nothing and puts it again.
bool FilesystemStore::remove_if_idle(const std::string& sha256, TimePoint since) {
    const fs::path path = object_path(sha256);
    const fs::path aside = root_ / "partial" / (sha256 + kAside);
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && time_of(info) > since) {
        return false;
    }
    if (::rename(path.c_str(), aside.c_str()) != 0) {
        if (errno == ENOENT) {
            return true;
        }
        throw_errno("take aside", path);
    }
    if (::lstat(aside.c_str(), &info) == 0 && time_of(info) > since) {
        (void)::link(aside.c_str(), path.c_str());  // fails where it was put again: equal bytes
        ::unlink(aside.c_str());
        return false;
    }
    ::unlink(aside.c_str());
    sync_folder(path.parent_path());
    return true;
}

std::vector<ArtifactInfo> FilesystemStore::list() const {
    std::vector<ArtifactInfo> result;
    for (const fs::directory_entry& shard : fs::directory_iterator(root_ / "objects")) {
        for (const fs::directory_entry& entry : fs::directory_iterator(shard.path())) {
            struct stat info {};
            if (::lstat(entry.path().c_str(), &info) == 0) {  // else removed meanwhile
                result.push_back({entry.path().filename().string(),
                                  static_cast<std::uint64_t>(info.st_size), time_of(info)});
            }
        }
    }
    std::sort(result.begin(), result.end(),
              [](const ArtifactInfo& a, const ArtifactInfo& b) { return a.sha256 < b.sha256; });
    return result;
}

std::size_t FilesystemStore::expire_partials() {
    const TimePoint limit = options_.now() - options_.partial_lifetime;
    std::size_t n_removed = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "partial")) {
        struct stat info {};
        if (::lstat(entry.path().c_str(), &info) != 0 || time_of(info) > limit) {
            continue;
        }
        if (entry.path().extension() == kAside) {  // of a server that died at that
            ::unlink(entry.path().c_str());
            continue;
        }
        const File file = File::lock(entry.path(), false);
        if (file.open() && ::unlink(entry.path().c_str()) == 0) {
            ++n_removed;
        }
    }
    return n_removed;
}

}  // namespace kaname::artifacts
