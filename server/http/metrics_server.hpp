// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/auth/tokens.hpp"

namespace kaname::http {

/// HTTP beside gRPC: GET /metrics, for Prometheus, with a token that may read
/// (`Authorization: Bearer ...`). 401 without one, 403 for a worker's, 503 when `metrics` throws.
class MetricsServer {
public:
    /// Listens on HOST:PORT; port 0: any free one. `tokens` outlives this. Throws InvalidArgument
    /// for another form, Unavailable when the address cannot be bound.
    MetricsServer(const std::string& listen, const auth::Tokens& tokens,
                  std::function<std::string()> metrics);
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    [[nodiscard]] int port() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace kaname::http
