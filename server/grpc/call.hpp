// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_interceptor.h>

#include "proto/status/status.hpp"
#include "server/service/admin/meters.hpp"
#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"

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

/// Ends a call with UNAVAILABLE, from any thread and also while it ends by itself. `Call` is one of
/// gRPC's contexts of a server.
template <class Call>
service::Limits::End end_of(Call& call) {
    // A reference of its own keeps the core's part.
    grpc_call* const core = call.c_call();
    grpc_call_ref(core);
    return [kept = std::shared_ptr<grpc_call>(core, grpc_call_unref)](const std::string& why) {
        grpc_call_cancel_with_status(kept.get(), GRPC_STATUS_UNAVAILABLE, why.c_str(), nullptr);
    };
}

/// The limit of calls with one answer.
inline const service::Limit& limit_of(auth::Role needed) {
    return needed == auth::Role::Worker ? service::kWorkerCalls : service::kCalls;
}

/// Runs a body for the caller, one that reads a stream with the call's place; its end as a status.
template <class Body>
grpc::Status run_body(service::Context& context, const auth::Principal& caller,
                      service::Limits::Place& place, const Body& body, const char* method) {
    try {
        service::noting_refusals(context, caller, method, [&] {
            if constexpr (std::is_invocable_v<const Body&, const auth::Principal&,
                                              service::Limits::Place&>) {
                body(caller, place);
            } else {
                body(caller);
            }
        });
        return grpc::Status::OK;
    } catch (const std::exception& error) {
        service::log_trouble(context, error);
        return to_status(error);
    }
}

/// The body of every handler: who calls, whether there is a place for it under `limit` (null: the
/// one of its role), then `body(principal)` or `body(principal, place)`, and what it throws as a
/// status. Calls of the synchronous API hold a thread each. `method`: the handler, whose name is
/// the method's; refusals are kept under it.
template <class Call, class Body>
grpc::Status handle(service::Context& context, Call& call, auth::Role needed, Body&& body,
                    const service::Limit* limit = nullptr,
                    const char* method = __builtin_FUNCTION()) {
    try {
        const auth::Principal caller = authenticate(context, call, needed, method);
        service::Limits::Place place =
            context.limits.take(limit != nullptr ? *limit : limit_of(needed), caller.name,
                                connection_of(call), end_of(call));
        return run_body(context, caller, place, body, method);
    } catch (const std::exception& error) {
        service::log_trouble(context, error);
        return to_status(error);
    }
}

/// Whose turn it is at what helpers do, and whether the caller has gone; while the call lives.
[[nodiscard]] inline helpers::Caller gone(const grpc::ServerContextBase& call,
                                          const auth::Principal& caller) {
    return {caller.name, [&call] { return call.IsCancelled(); }};
}

/// The messages of a stream of requests. While it waits for one, the call counts as standing still.
template <class Message>
service::Read<Message> reads(grpc::ServerReader<Message>& reader, service::Limits::Place& place) {
    return [&](Message& message) { return place.waiting([&] { return reader.Read(&message); }); };
}

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

/// Calls of a server that have begun and not ended. Safe from any thread.
class CallsInProgress {
public:
    void begin();
    void end();
    /// Returns when there is none, or after `longest`.
    void wait_for_none(std::chrono::milliseconds longest);

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    std::int64_t n_ = 0;
};

/// Counts every call of a server and how it ended, whichever of gRPC's interfaces it is of, from
/// the arrival of its head until its status is sent. Streams have no time: how long a watch goes on
/// says nothing.
class CallMeters final : public grpc::experimental::ServerInterceptorFactoryInterface {
public:
    CallMeters(service::Meters& meters, CallsInProgress& calls) : meters_(meters), calls_(calls) {}

    grpc::experimental::Interceptor* CreateServerInterceptor(
        grpc::experimental::ServerRpcInfo* info) override;

private:
    service::Meters& meters_;
    CallsInProgress& calls_;
};

}  // namespace kaname::rpc
