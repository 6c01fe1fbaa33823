// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "server/gate/frames.hpp"
#include "server/gate/wire.hpp"

namespace kaname::gate {

/// Holds the result of checking a token: its owner, or a gRPC status (UNAUTHENTICATED, UNAVAILABLE)
/// with its message and the serialised google.rpc.Status.
struct Verdict {
    std::string owner;
    int status = 0;
    std::string message = {}, details = {};
};

/// Returns true if a service of gRPC's health protocol serves; nothing for an unknown service.
using Health = std::function<std::optional<bool>(const std::string& service)>;

/// Returns true if a call of this path sends many messages, which the server takes as they come.
using SendsMany = std::function<bool(const std::string& path)>;

struct CallerLimits {
    FrameLimits frames = {};
    int streams = 256;  ///< that a connection may have open
    /// Before its first authenticated call, and of these what is kept for the server.
    std::size_t bytes = 256 << 10, kept = 24 << 10;
    int refusals = 256;  ///< calls without a good token, then it is ended
    /// Streams that the client ends itself: so many at once, and so many more each second.
    double resets = 1024, resets_a_second = 256;
    CallLimits calls = {};
};

/// One connection of a client, from its first byte to its last. Until a call comes with a token
/// that is good, the gate itself speaks with the client: it refuses calls, answers those that ask
/// for its health, and hands nothing on. Then what has come is handed on to the server over a
/// socket of its own, and both are relayed, in frames that keep the limits.
class Caller {
public:
    using Clock = std::chrono::steady_clock;
    /// Holds the functions of the gate that a caller uses.
    struct Needs {
        std::function<void(std::optional<std::string> authorization)>
            check;  ///< answered by `take`
        /// Returns the account of everything that the owner's connections hold open together.
        std::function<std::shared_ptr<Account>(const std::string& owner)> account;
        /// Counts it as the owner's and opens its way to the server; nothing, with why in
        /// `refused`, when the owner has too many connections.
        std::function<Fd(const std::string& owner, std::string& refused)> open;
        std::function<void(const std::string& path, int status)> refused;
        std::function<std::string(const std::string& message)> details_of_limit;
        const Health* health = nullptr;
        const SendsMany* sends_many = nullptr;
    };

    Caller(Fd socket, const Tls& tls, CallerLimits limits, Needs needs);

    [[nodiscard]] int client() const { return client_.fd(); }
    [[nodiscard]] int server() const { return server_ ? server_->fd() : -1; }
    [[nodiscard]] bool known() const { return known_; }

    /// Reads and writes what can be; to be called when a socket is ready. True: there is more.
    bool work();
    /// Takes the result of checking the caller's token.
    void take(const Verdict& verdict);
    /// Tells the client to call elsewhere, and ends the connection.
    void send_away();
    /// Returns true while it waits for the client to read the last bytes and close.
    [[nodiscard]] bool ending() const { return ending_; }
    /// Nothing is left to be done; its sockets may be closed.
    [[nodiscard]] bool over() const { return over_; }
    void client_has_gone() { over_ = true; }
    void server_has_gone() { server_gone_ = true; }

    /// Returns the epoll events that the gate must wait for at a socket (EPOLLIN, EPOLLOUT).
    [[nodiscard]] std::uint32_t client_events() const;
    [[nodiscard]] std::uint32_t server_events() const;

private:
    [[nodiscard]] bool may_read_client() const;
    bool read_client();
    bool read_server();
    bool write_client();
    bool write_server();
    void take_pieces();
    void take_piece(const Piece& piece);
    void take_unknown(const Piece& piece);
    void take_known(const Piece& piece);
    void take_known_data(const Piece& piece);
    void take_head(const Piece& piece);
    void take_data(const Piece& piece);
    void take_other(const Piece& piece);
    bool join(const std::string& owner, std::string& why);
    void refuse(int status, const std::string& message, const std::string& details);
    [[nodiscard]] std::string details_of_limit(const std::string& message) const;
    void refuse_known(std::uint32_t stream, const std::string& path, const std::string& message);
    void begin_call(std::uint32_t stream, const std::string& path);
    void say_between(std::string_view frames);
    void keep(std::string_view bytes);
    void count_reset();
    void end();
    void say(std::string_view frames) { to_client_.add(frames); }

    Wire client_;
    std::optional<Wire> server_;
    const CallerLimits limits_;
    const Needs needs_;
    FrameReader reader_;
    Outbox to_client_, to_server_;
    std::string kept_;                  ///< what goes to the server once it is known who calls
    std::unique_ptr<OpenCalls> calls_;  ///< once it is known
    std::set<std::uint32_t> refused_;   ///< calls that the gate ended, whose messages still come
    std::string between_;               ///< what the gate says when the server's frame is over
    bool checking_ = false, refusing_ = false, ending_ = false, over_ = false;
    bool known_ = false, server_gone_ = false, last_word_ = false;
    int acks_ = 1;  ///< of the gate's own settings, which the server never sent
    int refusals_ = 0;
    std::size_t bytes_ = 0;
    std::uint32_t stream_ = 0;  ///< of the call that is looked at, and the last one
    std::string path_;          ///< of that call
    std::map<std::uint32_t, std::string> health_;  ///< calls that ask for it, and what has come
    Budget resets_;
};

}  // namespace kaname::gate
