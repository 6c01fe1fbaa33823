// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/connection.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

namespace kaname::http {
namespace {

bool would_wait() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Connection::Connection(Fd socket, const ConnectionLimits& limits, Clock::time_point now)
    : socket_(std::move(socket)), limits_(limits), deadline_(now + limits.total) {}

short Connection::events() const {
    return state_ == State::Writing ? POLLOUT : POLLIN;
}

bool Connection::go_on(const Answer& answer) {
    switch (state_) {
        case State::Reading:
            return read_head(answer);
        case State::Writing:
            return write_rest();
        case State::Leaving:
            break;
    }
    return ignore_rest();
}

bool Connection::read_head(const Answer& answer) {
    std::array<char, 2048> bytes;
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) {
        return got < 0 && would_wait();
    }
    in_.append(bytes.data(), static_cast<std::size_t>(got));
    const std::size_t end = in_.find("\r\n\r\n");
    if (end == std::string::npos && in_.size() <= limits_.head_bytes) {
        return true;
    }
    if (end == std::string::npos || end > limits_.head_bytes) {
        out_ = response(431, "text/plain",
                        "the head of a request must have at most " +
                            std::to_string(limits_.head_bytes) + " bytes\n");
    } else if (const auto request = parse_request(std::string_view(in_).substr(0, end))) {
        out_ = answer(*request);
    } else {
        out_ = response(400, "text/plain", "this is no HTTP/1.1 request\n");
    }
    in_.clear();
    state_ = State::Writing;
    return write_rest();
}

bool Connection::write_rest() {
    while (written_ < out_.size()) {
        const ssize_t put =
            ::send(socket_.get(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
        if (put < 0) {
            return would_wait();
        }
        written_ += static_cast<std::size_t>(put);
    }
    // Bytes that nobody has read would turn the end of the connection into a reset, and the answer
    // might be lost with it.
    ::shutdown(socket_.get(), SHUT_WR);
    state_ = State::Leaving;
    return true;
}

bool Connection::ignore_rest() {
    std::array<char, 4096> bytes;
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) {
        return got < 0 && would_wait();
    }
    ignored_ += static_cast<std::size_t>(got);
    return ignored_ <= limits_.ignored_bytes;
}

}  // namespace kaname::http
