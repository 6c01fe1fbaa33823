// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/filesystem/file.hpp"

#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"

namespace kaname::artifacts {

void throw_errno(const std::string& action, const std::filesystem::path& path) {
    const int cause = errno;
    const bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    std::string message =
        "artifact store: cannot " + action + " " + path.string() + ": " + std::strerror(cause);
    std::error_code unknown;
    const auto space = std::filesystem::space(path.parent_path(), unknown);
    if (full && !unknown) {
        message += ", " + std::to_string(space.available) + " bytes free";
    }
    if (full) {
        throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kDiskFull, message);
    }
    throw Error(ErrorCode::Unavailable, message);
}

File::~File() {
    close();
}

File& File::operator=(File&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
        path_ = std::move(other.path_);
    }
    return *this;
}

void File::close() {
    if (fd_ >= 0) {
        ::close(std::exchange(fd_, -1));
    }
}

File File::open_to_read(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno != ENOENT) {
        throw_errno("open", path);
    }
    return {fd, path};
}

File File::lock(const std::filesystem::path& path, bool create) {
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0);
    while (true) {
        File file(::open(path.c_str(), flags, 0600), path);
        if (!file.open()) {
            if (errno == ENOENT && !create) {
                return {};
            }
            throw_errno("open", path);
        }
        if (::flock(file.fd_, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) {
                return {};
            }
            throw_errno("lock", path);
        }
        // The file may have been renamed or removed between open and lock.
        struct stat mine {};
        struct stat named {};
        if (::fstat(file.fd_, &mine) == 0 && ::stat(path.c_str(), &named) == 0 &&
            mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) {
            return file;
        }
    }
}

std::uint64_t File::size() const {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) {
        throw_errno("stat", path_);
    }
    return static_cast<std::uint64_t>(info.st_size);
}

void File::truncate(std::uint64_t bytes) const {
    if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
        throw_errno("truncate", path_);
    }
}

void File::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            throw_errno("write", path_);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
}

std::size_t File::read(std::uint64_t offset, std::span<std::byte> into) const {
    std::size_t total = 0;
    while (total < into.size()) {
        const ssize_t n = ::pread(fd_, into.data() + total, into.size() - total,
                                  static_cast<off_t>(offset + total));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            throw_errno("read", path_);
        }
        if (n == 0) {
            break;
        }
        total += static_cast<std::size_t>(n);
    }
    return total;
}

void File::seal() const {
    if (::fchmod(fd_, 0400) != 0 || ::fsync(fd_) != 0) {
        throw_errno("sync", path_);
    }
}

void make_folder(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0700) == 0) {
        if (path.has_parent_path()) {
            try {
                sync_folder(path.parent_path());
            } catch (const Error&) {
                ::rmdir(path.c_str());  // else the next caller takes it for durable
                throw;
            }
        }
        return;
    }
    if (errno == ENOENT && path.has_parent_path() && path.parent_path() != path) {
        make_folder(path.parent_path());
        make_folder(path);
    } else if (errno != EEXIST) {
        throw_errno("create", path);
    }
}

void sync_folder(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    const int cause = errno;
    if (fd >= 0) {
        ::close(fd);
    }
    if (!synced) {
        errno = cause;
        throw_errno("sync", path);
    }
}

void rename_into(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) {
        throw_errno("rename", from);
    }
    try {
        sync_folder(to.parent_path());
    } catch (const Error&) {
        ::unlink(to.c_str());  // else whoever finds the name takes it for durable
        throw;
    }
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
    rename_into(from, to);
    sync_folder(from.parent_path());
}

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kUuidLength = 36;

/// Empty when there is no file.
std::string read_id(const fs::path& path) {
    const File file = File::open_to_read(path);
    if (!file.open()) {
        return "";
    }
    std::string text(kUuidLength + 2, '\0');  // a newline, and one more to see that it is too long
    text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    if (text.size() != kUuidLength ||
        text.find_first_not_of("0123456789abcdef-") != std::string::npos) {
        throw Error(
            ErrorCode::DataLoss,
            path.string() + ": must hold the UUID of this artifact store, got \"" + text + '"');
    }
    return text;
}

/// Under a name of its own first: the file appears whole, and the first of several stays.
void make_id(const fs::path& path) {
    const std::string id = make_uuid();
    const fs::path mine = path.string() + "." + id;
    const File file = File::lock(mine, true);
    const std::string line = id + "\n";
    try {
        file.write(0, std::as_bytes(std::span(line)));
        file.seal();
    } catch (const Error&) {
        ::unlink(mine.c_str());
        throw;
    }
    const bool linked = ::link(mine.c_str(), path.c_str()) == 0 || errno == EEXIST;
    const int cause = errno;
    ::unlink(mine.c_str());
    if (!linked) {
        errno = cause;
        throw_errno("create", path);
    }
    try {
        sync_folder(path.parent_path());
    } catch (const Error&) {
        ::unlink(path.c_str());
        throw;
    }
}

}  // namespace

std::string store_id_of(const fs::path& root) {
    const fs::path path = root / "store_id";
    make_folder(root);
    if (read_id(path).empty()) {
        make_id(path);
    }
    return read_id(path);
}

}  // namespace kaname::artifacts
