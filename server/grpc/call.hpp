// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <grpcpp/grpcpp.h>

#include "proto/status/status.hpp"
#include "server/service/context.hpp"
#include "server/service/streams.hpp"

namespace kaname::rpc {

/// Who calls: service::authenticate with the call's metadata.
[[nodiscard]] auth::Principal authenticate(service::Context& context,
                                           const grpc::ServerContext& call, auth::Role needed,
                                           const char* method);

/// The body of every handler: who calls, then `body(principal)`, and what it throws as a status.
/// `method`: the handler, whose name is the method's; refusals are kept under it.
template <class Body>
grpc::Status handle(service::Context& context, const grpc::ServerContext& call, auth::Role needed,
                    Body&& body, const char* method = __builtin_FUNCTION()) {
    try {
        const auth::Principal caller = authenticate(context, call, needed, method);
        service::noting_refusals(context, caller, method, [&] { body(caller); });
        return grpc::Status::OK;
    } catch (const std::exception& error) {
        service::log_trouble(context, error);
        return to_status(error);
    }
}

template <class Message>
service::Read<Message> reads(grpc::ServerReader<Message>& reader) {
    return [&reader](Message& message) { return reader.Read(&message); };
}
template <class Message>
service::Write<Message> writes(grpc::ServerWriter<Message>& writer) {
    return [&writer](const Message& message) { return writer.Write(message); };
}
[[nodiscard]] inline service::Cancelled cancelled(const grpc::ServerContext& call) {
    return [&call] { return call.IsCancelled(); };
}

}  // namespace kaname::rpc
