// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/call.hpp"

#include <iterator>

#include "server/grpc/gateway_call.hpp"
#include "server/grpc/host.hpp"

namespace kaname::rpc {

auth::Principal authenticate(service::Context& context, const grpc::ServerContextBase& call,
                             auth::Role needed, const char* method) {
    if (from_gateway(call, kGatewayAsksRole)) {
        throw Error(ErrorCode::NotReady, kRoleIs + std::string(to_string(needed)));
    }
    const auto& metadata = call.client_metadata();
    const auto found = metadata.find("authorization");
    const bool any = found != metadata.end();
    return service::authenticate(
        context,
        any ? std::optional(std::string_view(found->second.data(), found->second.size()))
            : std::nullopt,
        needed, method);
}

std::string token_of(const grpc::ServerContextBase& call) {
    constexpr std::string_view kScheme = "Bearer ";
    const auto found = call.client_metadata().find("authorization");
    const std::string_view text =
        found == call.client_metadata().end()
            ? std::string_view()
            : std::string_view(found->second.data(), found->second.size());
    return std::string(text.starts_with(kScheme) ? text.substr(kScheme.size()) : "");
}

std::string traceparent_of(const grpc::ServerContextBase& call) {
    const auto [first, end] = call.client_metadata().equal_range("traceparent");
    const bool one = first != end && std::next(first) == end;
    return one ? std::string(first->second.data(), first->second.size()) : "";
}

std::string connection_of(const grpc::ServerContextBase& call) {
    if (auto behind = from_gateway(call, kGatewayConnection)) {
        return *behind;
    }
    // The gate's sockets have names of their own; callers of the unix socket have none.
    const std::string peer = call.peer();
    return peer.starts_with("unix:") ? "" : peer;
}

grpc::Status too_many_wait() {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            "at most " + std::to_string(Host::kLongestQueue) +
                " calls of a kind may wait for a thread; call again later"};
}

grpc::Status waited_too_long() {
    return {grpc::StatusCode::UNAVAILABLE, "the call waited for longer than " +
                                               std::to_string(Host::kLongestWait.count()) +
                                               " s for a thread; call again"};
}

}  // namespace kaname::rpc
