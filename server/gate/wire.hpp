// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

#include "solvers/base/files.hpp"

struct ssl_ctx_st;
struct ssl_st;
namespace kaname::gate {

/// Holds the TLS settings that connections share: TLS 1.2 or 1.3 with the protocol "h2".
using Tls = std::shared_ptr<ssl_ctx_st>;
/// PEM texts; with `client_ca` a client must show a certificate that it vouches for. Throws
/// InvalidArgument for texts that are none, or a key that does not fit.
[[nodiscard]] Tls make_tls(const std::string& certificate, const std::string& key,
                           const std::string& client_ca);

/// Bytes that are still to be written.
class Outbox {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::string_view rest() const { return std::string_view(text_).substr(taken_); }
    void take(std::size_t bytes);
    [[nodiscard]] bool empty() const { return taken_ == text_.size(); }
    [[nodiscard]] std::size_t size() const { return text_.size() - taken_; }

private:
    std::string text_;
    std::size_t taken_ = 0;
};

/// A socket that never blocks, with TLS around it or without.
class Wire {
public:
    /// Null `tls`: none. The handshake is part of what is read and written.
    explicit Wire(Fd socket, const Tls& tls = nullptr);
    ~Wire();
    Wire(Wire&&) = delete;

    [[nodiscard]] int fd() const { return socket_.get(); }
    static constexpr long kLater = -1, kEnd = 0;
    /// How many bytes were read or written, kLater, or kEnd when the connection has ended.
    [[nodiscard]] long read(char* into, std::size_t most);
    [[nodiscard]] long write(std::string_view bytes);
    /// Returns true if the last attempt goes on when the socket takes bytes, although nothing is to
    /// be written.
    [[nodiscard]] bool wants_to_write() const { return wants_to_write_; }
    /// Returns true if the last write waits for bytes to be read.
    [[nodiscard]] bool writes_after_reading() const { return writes_after_reading_; }
    /// Tells the peer that nothing more comes.
    void end_writing();

private:
    [[nodiscard]] long result(int done);

    Fd socket_;
    ssl_st* ssl_ = nullptr;
    bool wants_to_write_ = false, writes_after_reading_ = false;
};

/// Sockets that listen on HOST:PORT: one for each address of the host, all with one port. They
/// never block. Throws InvalidArgument for another form, Unavailable when one cannot be bound.
[[nodiscard]] std::vector<Fd> listen_on(const std::string& listen);
[[nodiscard]] int port_of(const Fd& socket);
/// The address that somebody calls from, in numbers, without the port.
[[nodiscard]] std::string address_of(const sockaddr_storage& peer);

/// Two connected sockets that never block. The name of the first, by which the second knows it, is
/// unique on this machine while it is open. Throws Unavailable.
struct Pair {
    Fd near;
    int far = -1;  ///< whoever takes the pair closes it
};
[[nodiscard]] Pair make_pair_of_sockets();

}  // namespace kaname::gate
