// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <grpcpp/channel.h>

namespace kaname::rpc {

/// A channel to host:port that notices a dead connection within a minute or two and finds a server
/// that comes back within a second. No TLS. A first attempt may fail although the server is there:
/// gRPC 1.51 reads connect's errno after it has allocated, so calls must be tried again.
[[nodiscard]] std::shared_ptr<grpc::Channel> connect(const std::string& address);

}  // namespace kaname::rpc
