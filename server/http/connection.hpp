// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "server/http/request.hpp"
#include "solvers/base/fd.hpp"

namespace kaname::http {

/// What a page server allows each connection.
struct ConnectionLimits {
    std::size_t head_bytes = 8U << 10U;      ///< of a request
    std::size_t ignored_bytes = 64U << 10U;  ///< read, and thrown away, of what it refused
    std::chrono::milliseconds total{5000};   ///< from its beginning to its end
};

/// One connection, one request: its head is read, never its body; then the answer is written. It
/// never waits: its owner polls. Everything that does not keep within the limits ends.
class Connection {
public:
    using Clock = std::chrono::steady_clock;
    using Answer = std::function<std::string(const Request&)>;

    Connection(Fd socket, const ConnectionLimits& limits, Clock::time_point now);

    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
    /// Nothing has been answered yet.
    [[nodiscard]] bool is_reading() const { return state_ == State::Reading; }
    /// What poll is to wait for.
    [[nodiscard]] short events() const;
    /// Goes on after poll; `answer` makes the whole answer to a request. False: it has ended.
    bool go_on(const Answer& answer);

private:
    enum class State { Reading, Writing, Leaving };
    bool read_head(const Answer& answer);
    bool write_rest();
    bool ignore_rest();

    Fd socket_;
    ConnectionLimits limits_;
    Clock::time_point deadline_;
    State state_ = State::Reading;
    std::string in_, out_;
    std::size_t written_ = 0, ignored_ = 0;
};

}  // namespace kaname::http
