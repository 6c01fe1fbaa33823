// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

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

/// A place at which a crash must do no harm; tests/e2e/chaos crashes here. The environment variable
/// KANAME_FAIL_POINT="NAME:N" ends this process by SIGKILL at its N-th pass of point NAME; without
/// it nothing happens. Safe from any thread. The points are listed in docs/operations.md.
void fail_point(std::string_view name);

/// Owner of one file descriptor.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    ~Fd() { close(); }
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool open() const { return fd_ >= 0; }
    void close() {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }

private:
    int fd_ = -1;
};

struct Pipe {
    Fd read, write;
};

/// Both ends close on exec. Throws Unavailable when the process is out of descriptors.
[[nodiscard]] Pipe make_pipe();

/// A flag that poll(2) waits for beside other descriptors: readable from set() to clear().
class Event {
public:
    /// Throws Unavailable when the process is out of descriptors.
    Event();
    /// May be called in a signal handler.
    void set() const { set(fd_.get()); }
    static void set(int fd);
    void clear() const;
    [[nodiscard]] int fd() const { return fd_.get(); }

private:
    Fd fd_;
};

}  // namespace kaname
