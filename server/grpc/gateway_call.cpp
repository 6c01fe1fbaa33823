// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/gateway_call.hpp"

#include "server/auth/tokens.hpp"

namespace kaname::rpc {
namespace {

std::optional<std::string> metadata_of(const grpc::ServerContextBase& call, const char* name) {
    const auto found = call.client_metadata().find(name);
    return found != call.client_metadata().end()
               ? std::optional(std::string(found->second.data(), found->second.size()))
               : std::nullopt;
}

}  // namespace

const std::string& gateway_key() {
    static const std::string key = auth::random_token();
    return key;
}

std::optional<std::string> from_gateway(const grpc::ServerContextBase& call, const char* name) {
    const auto key = metadata_of(call, kGatewayKey);
    return key && *key == gateway_key() ? metadata_of(call, name) : std::nullopt;
}

}  // namespace kaname::rpc
