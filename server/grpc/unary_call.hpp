// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <utility>

#include "server/grpc/call.hpp"
#include "server/grpc/host.hpp"

namespace kaname::rpc {

/// A call with one answer on a pool of its own: `handle` there, then its end. The arguments that
/// `body` refers to live until then. RESOURCE_EXHAUSTED when too many wait, UNAVAILABLE when its
/// turn came too late for whoever called.
template <class Body>
grpc::ServerUnaryReactor* answer(Host& host, ThreadPool& pool, grpc::CallbackServerContext& call,
                                 auth::Role needed, Body body,
                                 const char* method = __builtin_FUNCTION()) {
    grpc::ServerUnaryReactor* reactor = call.DefaultReactor();
    const auto came = std::chrono::steady_clock::now();
    const bool queued = pool.try_submit(
        [&host, &call, needed, reactor, body = std::move(body), came, method]() mutable {
            if (call.IsCancelled()) {
                reactor->Finish(grpc::Status::CANCELLED);
                return;
            }
            if (std::chrono::steady_clock::now() - came > Host::kLongestWait) {
                reactor->Finish(waited_too_long());
                return;
            }
            reactor->Finish(handle(host.context, call, needed, body, service::kCalls, method));
        });
    if (!queued) {
        reactor->Finish(too_many_wait());
    }
    return reactor;
}

}  // namespace kaname::rpc
