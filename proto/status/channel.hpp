// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <grpcpp/channel.h>

namespace kaname::rpc {

/// A channel to host:port that notices a dead connection within a minute or two and finds a server
/// that comes back within a second. No TLS.
[[nodiscard]] std::shared_ptr<grpc::Channel> connect(const std::string& address);

}  // namespace kaname::rpc
