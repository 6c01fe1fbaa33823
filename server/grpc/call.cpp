// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/call.hpp"

namespace kaname::rpc {

auth::Principal authenticate(service::Context& context, const grpc::ServerContext& call,
                             auth::Role needed, const char* method) {
    const auto& metadata = call.client_metadata();
    const auto found = metadata.find("authorization");
    const bool any = found != metadata.end();
    return service::authenticate(
        context,
        any ? std::optional(std::string_view(found->second.data(), found->second.size()))
            : std::nullopt,
        needed, method);
}

}  // namespace kaname::rpc
