// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "proto/status/channel.hpp"

namespace kaname::rpc {

/// The HTTP proxy that a channel goes through.
struct Proxy {
    std::string variable;  ///< of the environment, which names it
    std::string place;     ///< its address, without a user or password
};

/// Returns the proxy between here and a server; nothing when the channel is direct. A proxy sees
/// nothing but TLS: a target without it, a socket, and what the machine or its link has themselves
/// (by address, or as a name is resolved here) are never proxied, whatever grpc_proxy, https_proxy
/// and http_proxy say. no_grpc_proxy and no_proxy hold as gRPC reads them.
[[nodiscard]] std::optional<Proxy> proxy_of(const Target& target);

/// Returns what the message of a call that failed says about the proxy; empty without one.
[[nodiscard]] std::string proxy_advice(const Target& target);

}  // namespace kaname::rpc
