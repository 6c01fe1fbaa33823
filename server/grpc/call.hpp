// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <grpcpp/grpcpp.h>

#include "proto/status/status.hpp"
#include "server/service/context.hpp"
#include "server/service/streams.hpp"

namespace kaname::rpc {

/// Who calls: service::authenticate with the call's metadata.
[[nodiscard]] auth::Principal authenticate(service::Context& context,
                                           const grpc::ServerContextBase& call, auth::Role needed,
                                           const char* method);
/// Returns the token of the call's metadata, as it was sent; empty where there is none.
[[nodiscard]] std::string token_of(const grpc::ServerContextBase& call);
/// The W3C trace that the caller is in, as it was sent; empty: none, or several.
[[nodiscard]] std::string traceparent_of(const grpc::ServerContextBase& call);
/// The connection of a call, for Limits; empty where connections cannot be told apart.
[[nodiscard]] std::string connection_of(const grpc::ServerContextBase& call);
/// RESOURCE_EXHAUSTED: a queue of calls is full.
[[nodiscard]] grpc::Status too_many_wait();
/// UNAVAILABLE: a call was in a queue for too long.
[[nodiscard]] grpc::Status waited_too_long();

/// The body of every handler: who calls, then `body(principal)`, and what it throws as a status.
/// Calls of the synchronous API hold a thread each: those of others than workers are counted under
/// `limit`. `method`: the handler, whose name is the method's; refusals are kept under it.
template <class Body>
grpc::Status handle(service::Context& context, const grpc::ServerContextBase& call,
                    auth::Role needed, Body&& body, const service::Limit& limit = service::kCalls,
                    const char* method = __builtin_FUNCTION()) {
    try {
        const auth::Principal caller = authenticate(context, call, needed, method);
        const auto place = needed == auth::Role::Worker
                               ? service::Limits::Place()
                               : context.limits.take(limit, caller.name, connection_of(call));
        service::noting_refusals(context, caller, method, [&] { body(caller); });
        return grpc::Status::OK;
    } catch (const std::exception& error) {
        service::log_trouble(context, error);
        return to_status(error);
    }
}

/// Whether the caller has gone; while the call lives.
[[nodiscard]] inline helpers::Gone gone(const grpc::ServerContextBase& call) {
    return [&call] { return call.IsCancelled(); };
}

template <class Message>
service::Read<Message> reads(grpc::ServerReader<Message>& reader) {
    return [&reader](Message& message) { return reader.Read(&message); };
}

}  // namespace kaname::rpc
