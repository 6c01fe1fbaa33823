// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/web/http/pages.hpp"
#include "server/web/http/peers.hpp"

namespace kaname::http {

struct ServerOptions {
    std::string option = "--http";  ///< whose value `listen` is, for messages
    std::string listen;             ///< HOST:PORT; port 0: any free one
    /// PEM texts; without them what it sends is plain. With `client_ca` a caller must show a
    /// certificate that it vouches for.
    std::string certificate = {}, key = {}, client_ca = {};
    PeerLimits peers = {};
    /// A caller that takes nothing of an answer for so long is cut off; whole seconds, rounded up.
    std::chrono::milliseconds longest_stall{60000};
};

/// Pages over HTTP/1.1. Few threads serve all connections, of which none can hold the others up;
/// answers are made on other threads, while their connections are suspended. Heads of requests have
/// at most kHeadBytes.
class Server {
public:
    static constexpr std::size_t kHeadBytes = 8U << 10U;

    /// Listens. What the pages and `authenticate` use outlives this. Throws InvalidArgument for
    /// another form than HOST:PORT, Unavailable when the address cannot be bound or the certificate
    /// cannot be used.
    Server(const ServerOptions& options, std::vector<Page> pages, Authenticate authenticate);
    /// Answers that are being sent are cut off; a download can be resumed at a later server.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] int port() const;
    /// Connections that are open.
    [[nodiscard]] std::size_t connections() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace kaname::http
