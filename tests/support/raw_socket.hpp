// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "solvers/base/files.hpp"

namespace kaname::test {

/// A connection to a port of this machine that says what a client library would not; it waits for
/// 10 s at most.
class RawSocket {
public:
    /// `buffer`: bytes that the system takes for it before anybody reads; 0: as it likes.
    explicit RawSocket(int port, int buffer = 0)
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{10, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (buffer > 0) {
            ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
        }
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    void send(const std::string& text) const {
        EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
    }
    /// Returns the status of the answer; 0 when the connection ends without one, -1 when nothing
    /// comes.
    [[nodiscard]] int status() const {
        std::string text(4096, '\0');
        const ssize_t got = ::recv(fd_.get(), text.data(), text.size(), 0);
        return got <= 0 ? static_cast<int>(got) : std::stoi(text.substr(9, 3));
    }
    /// Reads until the text read so far has `wanted`, or to the end; returns that text.
    [[nodiscard]] std::string read_until(const std::string& wanted) {
        while (text_.find(wanted) == std::string::npos && read_some()) {
        }
        return text_;
    }
    /// All until the connection ends.
    [[nodiscard]] std::string rest() {
        while (read_some()) {
        }
        return text_;
    }

private:
    bool read_some() {
        std::string piece(1 << 16, '\0');
        const ssize_t got = ::recv(fd_.get(), piece.data(), piece.size(), 0);
        text_.append(piece, 0, static_cast<std::size_t>(got > 0 ? got : 0));
        return got > 0;
    }

    Fd fd_;
    std::string text_;
};

}  // namespace kaname::test
