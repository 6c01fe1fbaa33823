// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "server/grpc/call.hpp"
#include "server/grpc/host.hpp"

namespace kaname::rpc {

/// A call with one answer on a pool of its own: `handle` there, then its end. The arguments that
/// `body` refers to live until then. RESOURCE_EXHAUSTED when too many wait.
template <class Body>
grpc::ServerUnaryReactor* answer(Host& host, ThreadPool& pool, grpc::CallbackServerContext& call,
                                 auth::Role needed, Body body) {
    grpc::ServerUnaryReactor* reactor = call.DefaultReactor();
    const bool queued =
        pool.try_submit([&host, &call, needed, reactor, body = std::move(body)]() mutable {
            if (call.IsCancelled()) {
                reactor->Finish(grpc::Status::CANCELLED);
                return;
            }
            reactor->Finish(handle(host.context, call, needed, body));
        });
    if (!queued) {
        reactor->Finish(too_many_wait());
    }
    return reactor;
}

}  // namespace kaname::rpc
