// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <grpcpp/grpcpp.h>

namespace kaname::rpc {

// Metadata of calls that this process makes for callers of another transport.
inline constexpr const char* kGatewayKey = "kaname-gateway";
inline constexpr const char* kGatewayConnection = "kaname-connection";
/// The handler is to say which role it needs (kRoleIs and its name, FAILED_PRECONDITION) and do
/// nothing.
inline constexpr const char* kGatewayAsksRole = "kaname-role";
inline constexpr const char* kRoleIs = "the role is ";

/// Random, of this process: who sends it as kGatewayKey is this process itself.
[[nodiscard]] const std::string& gateway_key();

/// Metadata of a call that this process makes; nothing of any other call.
[[nodiscard]] std::optional<std::string> from_gateway(const grpc::ServerContextBase& call,
                                                      const char* name);

}  // namespace kaname::rpc
