// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <unistd.h>

namespace kaname {

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

}  // namespace kaname
