// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/auth/tokens.hpp"
#include "server/http/connection.hpp"

namespace kaname::http {

/// HTTP beside gRPC: GET /metrics, for Prometheus, with a token that may read
/// (`Authorization: Bearer ...`). 401 without one, 403 for a worker's, 404 for another page, 405
/// for another method, 413 for a body, 503 when `metrics` throws; in this order. One thread serves
/// all connections, of which none can hold it up: see ConnectionLimits. The oldest that has not
/// asked yet makes room for a new one.
class MetricsServer {
public:
    /// Listens on HOST:PORT; port 0: any free one. `tokens` outlives this. Throws InvalidArgument
    /// for another form, Unavailable when the address cannot be bound.
    MetricsServer(const std::string& listen, const auth::Tokens& tokens,
                  std::function<std::string()> metrics, ConnectionLimits limits = {});
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    static constexpr std::size_t kMaxConnections = 64;

    [[nodiscard]] int port() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace kaname::http
