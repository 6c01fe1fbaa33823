// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "server/grpc/call.hpp"
#include "server/grpc/host.hpp"

namespace kaname::rpc {

/// A call with one answer on a pool of its own: who calls and whether there is a place for it, then
/// in turn with those of others `body`, and its end. The arguments that `body` refers to live until
/// then. RESOURCE_EXHAUSTED when too many wait, UNAVAILABLE when its turn came too late for whoever
/// called.
template <class Body>
grpc::ServerUnaryReactor* answer(Host& host, ThreadPool& pool, grpc::CallbackServerContext& call,
                                 auth::Role needed, Body body,
                                 const char* method = __builtin_FUNCTION()) {
    grpc::ServerUnaryReactor* reactor = call.DefaultReactor();
    const auto came = std::chrono::steady_clock::now();
    const auto in_turn = [&host, &call, reactor, body = std::move(body), came, method](
                             const auth::Principal& caller,
                             const std::shared_ptr<service::Limits::Place>& place) {
        if (call.IsCancelled()) {
            reactor->Finish(grpc::Status::CANCELLED);
        } else if (std::chrono::steady_clock::now() - came > Host::kLongestWait) {
            reactor->Finish(waited_too_long());
        } else {
            reactor->Finish(run_body(host.context, caller, *place, body, method));
        }
    };
    const bool queued = pool.try_submit([&host, &pool, &call, needed, reactor, in_turn, method] {
        try {
            const auth::Principal caller = authenticate(host.context, call, needed, method);
            const auto place = std::make_shared<service::Limits::Place>(host.context.limits.take(
                limit_of(needed), caller.name, connection_of(call), end_of(call)));
            pool.submit([in_turn, caller, place] { in_turn(caller, place); }, caller.name);
        } catch (const std::exception& error) {
            service::log_trouble(host.context, error);
            reactor->Finish(to_status(error));
        }
    });
    if (!queued) {
        reactor->Finish(too_many_wait());
    }
    return reactor;
}

}  // namespace kaname::rpc
